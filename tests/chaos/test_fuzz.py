"""One service, and thousands of documents that are damaged or hostile: it lives, and reads what is sound."""

import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import psutil
import pytest

from arcscribe.client import Client
from arcscribe.errors import ArcscribeError
from arcscribe.events import ParseOptions
from tests.chaos.cluster import Cluster, running
from tests.chaos.documents import document
from tests.chaos.hostile import FAILED_PAGES, READ, Hostile, hostile_documents
from tests.chaos.mutations import Mutant, mutant, originals

CLIENTS = 4
ROUND = 100
"""Mutants between two sound documents."""
PAGE_SECONDS = 5.0
DOCUMENT_SECONDS = 120.0
OPTIONS = ParseOptions(dpi=72)
GROWTH_MB = 60
"""Of a process, from the end of the first round on: room for the buffers of the largest pictures."""

OUR_FAULT = {"INTERNAL", "INFERENCE_FAILED", "STAGE_UNAVAILABLE", "STAGE_TIMEOUT", "QUEUE_FULL"}
"""Answers that no document may have. A single page may take too long, and is then given up."""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    pages = {"max_page_seconds": PAGE_SECONDS, "max_pages": 1000}
    folder = tmp_path_factory.mktemp("c")
    with running(folder, layouts=1, vlms=1, page_workers=2, pages=pages) as made:
        first = dict(made.processes)
        yield made
        assert made.processes == first, "a process died and was started again"
        assert made.leftovers == []
        log = (folder / "orchestrator.log").read_text(encoding="utf-8", errors="replace")
        assert "Traceback" not in log


def outcome(client: Client, data: bytes, name: str) -> str:
    """The class of the answer: of the refusal, or of the pages that failed, or whether there is any text."""
    try:
        parsed = client.parse(data, OPTIONS, name=name)
    except ArcscribeError as error:
        return error.reason
    failed = {page.failure.reason for page in parsed.document.pages if page.failure}
    if failed:
        return f"{FAILED_PAGES} ({', '.join(sorted(failed))})"
    assert len(parsed.document.pages) == parsed.document.page_count
    return READ if parsed.markdown else "read, blank"


def answer(client: Client, damaged: Mutant) -> tuple[str, float]:
    """The class of the answer, and how many seconds it took."""
    started = time.monotonic()
    return outcome(client, damaged.data, damaged.name), time.monotonic() - started


def held_by(cluster: Cluster) -> dict[str, float]:
    """Resident memory of each process, in MB."""
    return {
        name: psutil.Process(process.pid).memory_info().rss / 1e6
        for name, process in cluster.processes.items()
    }


@pytest.mark.parametrize("rounds", [1, pytest.param(20, marks=[pytest.mark.soak, pytest.mark.timeout(3600)])])
def test_damaged_documents_harm_nobody(cluster: Cluster, samples: Path, rounds: int) -> None:
    sound, good = originals(samples), document(0, pages=3)
    counts: Counter[str] = Counter()
    slowest, held, wrong = (0.0, ""), [held_by(cluster)], []
    with (
        Client(cluster.address, timeout_seconds=DOCUMENT_SECONDS) as client,
        ThreadPoolExecutor(CLIENTS) as pool,
    ):
        expected = client.parse(good).markdown
        for first in range(0, rounds * ROUND, ROUND):
            mutants = map(partial(mutant, sound), range(first, first + ROUND))
            for damaged, (kind, seconds) in pool.map(lambda one: (one, answer(client, one)), mutants):
                counts[kind] += 1
                slowest = max(slowest, (seconds, damaged.name))
                wrong += [(damaged.name, kind)] if kind in OUR_FAULT else []
            assert client.parse(good).markdown == expected
            held.append(held_by(cluster))
    _print(counts, slowest, held)
    assert wrong == []
    assert all(held[-1][name] - held[0][name] < GROWTH_MB for name in held[0])
    assert len(counts) >= 4


def _print(counts: Counter[str], slowest: tuple[float, str], held: list[dict[str, float]]) -> None:
    lines = [f"{count:6} {kind}" for kind, count in counts.most_common()]
    lines.append(f"slowest: {slowest[0]:.1f} s ({slowest[1]})")
    lines += [f"{name}, MB: {', '.join(f'{seen[name]:.0f}' for seen in held)}" for name in held[0]]
    sys.stdout.write("\n".join(lines) + "\n")


def test_each_hostile_document_comes_to_the_end_that_it_deserves(cluster: Cluster, samples: Path) -> None:
    good, hostile = document(0, pages=3), hostile_documents(samples)
    with Client(cluster.address, timeout_seconds=DOCUMENT_SECONDS) as client:
        expected = client.parse(good).markdown
        found = {one.name: _ended_as(client, one) for one in hostile}
        assert client.parse(good).markdown == expected
    assert found == {one.name: (one.outcome, one.pages, one.with_text) for one in hostile}


def _ended_as(client: Client, hostile: Hostile) -> tuple[str, int, bool]:
    """Outcome, pages, and whether every page has text; of one that is refused, what it should have been."""
    try:
        parsed = client.parse(hostile.data, OPTIONS, name=hostile.name)
    except ArcscribeError as error:
        return error.reason, hostile.pages, hostile.with_text
    pages = parsed.document.pages
    assert [page.number for page in pages] == list(range(1, len(pages) + 1))
    if any(page.failure for page in pages):
        return FAILED_PAGES, len(pages), hostile.with_text
    return READ, len(pages), all(page.blocks for page in pages)
