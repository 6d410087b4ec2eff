"""Processes are killed and frozen while documents are parsed, and nobody notices but by the clock."""

import signal
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from random import Random

import psutil
import pytest

from arcscribe.client import Client
from arcscribe.types import RegionFailure
from tests.chaos.cluster import Cluster, running
from tests.chaos.documents import document
from tests.waiting import wait_until

CLIENTS = 8
DOCUMENTS = 40


@pytest.fixture
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder whose sockets have short names."""
    return tmp_path_factory.mktemp("c")


def wreak_havoc(cluster: Cluster, stop: threading.Event, random: Random) -> dict[str, int]:
    """Kills and freezes processes until told to stop; says how often."""
    done = {"vlm killed": 0, "worker killed": 0, "layout frozen": 0}
    while not stop.wait(random.uniform(0.05, 0.3)):
        what = random.choice(["vlm killed", "vlm killed", "worker killed", "layout frozen"])
        done[what] += 1
        if what == "vlm killed":
            cluster.signal(f"vlm-{random.randrange(3)}", signal.SIGKILL)
        elif what == "worker killed":
            for worker in cluster.page_workers():
                with suppress(psutil.NoSuchProcess):
                    worker.kill()
        else:
            cluster.signal("layout-0", signal.SIGSTOP)
            stop.wait(random.uniform(0.5, 2.0))
            cluster.signal("layout-0", signal.SIGCONT)
    return done


def parse_all(address: str, documents: list[bytes]) -> list[str]:
    """The Markdown of each, parsed by several clients at once."""

    def parse(number: int) -> str:
        with Client(address) as client:
            parsed = client.parse(documents[number], name=f"{number}.pdf", timeout_seconds=120)
        assert all(page.failure is None for page in parsed.document.pages)
        return parsed.markdown

    with ThreadPoolExecutor(CLIENTS) as pool:
        return list(pool.map(parse, range(len(documents))))


def test_documents_come_out_as_in_calm_while_processes_are_killed_and_frozen(folder: Path) -> None:
    documents = [document(seed, pages=1 + seed % 5) for seed in range(DOCUMENTS)]
    with running(folder, max_documents=CLIENTS) as cluster:
        calm = parse_all(cluster.address, documents)
        stop, seed = threading.Event(), int(time.time())
        with ThreadPoolExecutor(1) as pool:
            havoc = pool.submit(wreak_havoc, cluster, stop, Random(seed))
            try:
                chaos = parse_all(cluster.address, documents)
            finally:
                stop.set()
            sys.stdout.write(f"seed {seed}: {havoc.result()}\n")
        workers = cluster.page_workers()
        stages = list(cluster.processes.values())
    assert chaos == calm
    assert len(set(calm)) == DOCUMENTS
    assert all(text.count("\n\n") == 5 * (1 + seed % 5) - 1 for seed, text in enumerate(calm))
    assert not [worker for worker in workers if worker.is_running()]
    assert not [stage for stage in stages if stage.poll() is None]
    assert cluster.leftovers == []


def test_a_region_at_whose_sight_a_stage_dies_fails_alone_and_kills_two(folder: Path) -> None:
    documents = [document(seed, pages=3, poisoned=seed == 3) for seed in range(8)]
    with running(folder, max_documents=CLIENTS) as cluster:
        first = dict(cluster.processes)
        with Client(cluster.address) as client, ThreadPoolExecutor(CLIENTS) as pool:
            results = list(pool.map(client.parse, documents))
        wait_until(lambda: all(process.poll() is None for process in cluster.processes.values()))
        killed = [name for name, process in first.items() if cluster.processes[name] is not process]
    failed = [
        (number, page.number, block.region.id)
        for number, parsed in enumerate(results)
        for page in parsed.document.pages
        for block in page.blocks
        if isinstance(block.result, RegionFailure)
    ]
    assert failed == [(3, 1, 5)]
    assert all(name.startswith("vlm") for name in killed)
    assert 1 <= len(killed) <= 2
