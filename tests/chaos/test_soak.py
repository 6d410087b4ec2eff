"""Documents by the hundred: no process holds more memory at the end than it did when it was warm."""

import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import psutil
import pytest

from arcscribe.client import Client
from arcscribe.events import ParseOptions
from tests.chaos.cluster import Cluster, running
from tests.chaos.test_concurrency import mixed_document

CLIENTS = 4
ROUND = 20
"""Documents between two looks at the memory, which is looked at while nothing is in work."""
KINDS = 100
"""Different documents, which come again and again."""
MOST_MB_PER_100_DOCUMENTS = 1.0

pytestmark = [pytest.mark.soak, pytest.mark.timeout(3600)]


def held_by(cluster: Cluster) -> dict[str, float]:
    """Resident memory in MB of each process, and of all together that decode pages."""
    held = {name: _rss(psutil.Process(process.pid)) for name, process in cluster.processes.items()}
    return held | {"page workers": sum(map(_rss, cluster.page_workers()))}


def _rss(process: psutil.Process) -> float:
    return process.memory_info().rss / 1e6


def test_a_thousand_documents_leave_nothing_in_memory(tmp_path_factory: pytest.TempPathFactory) -> None:
    documents, warm_up = [mixed_document(seed, most_pages=20) for seed in range(KINDS)], 300
    counts, held = [], []
    with running(tmp_path_factory.mktemp("c"), layouts=1, vlms=2, page_workers=2) as cluster:
        clients = [Client(cluster.address) for _ in range(CLIENTS)]
        with ThreadPoolExecutor(CLIENTS) as pool:
            for first in range(0, warm_up + 1000, ROUND):
                numbers = range(first, first + ROUND)
                list(
                    pool.map(
                        lambda n: clients[n % CLIENTS].parse(documents[n % KINDS], ParseOptions(dpi=100)),
                        numbers,
                    )
                )
                counts.append(first + ROUND)
                held.append(held_by(cluster))
        for client in clients:
            client.close()
    warm = warm_up // ROUND
    slopes = {
        name: float(np.polyfit(np.array(counts[warm:]) / 100, [seen[name] for seen in held[warm:]], 1)[0])
        for name in held[0]
    }
    for name, slope in slopes.items():
        before, after = held[warm][name], held[-1][name]
        sys.stdout.write(f"{name}: {slope:+.2f} MB per 100 documents; {before:.0f} MB, then {after:.0f} MB\n")
    assert max(slopes.values()) <= MOST_MB_PER_100_DOCUMENTS
