"""Documents whose callers leave or run out of time, and short ones beside long ones, in real processes."""

import statistics
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

import grpc
import psutil
import pytest

from arcscribe.client import Client
from arcscribe.rpc.channel import open_blocking_channel
from arcscribe.v1 import parse_pb2, parse_pb2_grpc
from tests.chaos.cluster import Cluster, running
from tests.chaos.documents import document
from tests.waiting import wait_until

SLOW = {"page_seconds": 0.3, "crop_seconds": 0.3}
FAIR = {"page_seconds": 0.05, "crop_seconds": 0.02, "one_at_a_time": True}
STAGES = ("layout-0", "layout-1", "vlm-0", "vlm-1", "vlm-2")


@pytest.fixture
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder whose sockets have short names."""
    return tmp_path_factory.mktemp("c")


def requests(data: bytes) -> Iterator[parse_pb2.ParseStreamRequest]:
    yield parse_pb2.ParseStreamRequest(start=parse_pb2.ParseStart(name="it.pdf"))
    for first in range(0, len(data), 1000):
        yield parse_pb2.ParseStreamRequest(chunk=data[first : first + 1000])


def steps(cluster: Cluster) -> int:
    """How many pages and crops all stages together have begun."""
    return sum(cluster.log(name).count('"event": "work"') for name in STAGES if name in cluster.processes)


def open_files(cluster: Cluster) -> int:
    return psutil.Process(cluster.pid).num_fds()


def is_idle(cluster: Cluster, files: int) -> bool:
    """Whether all files that documents had open are closed, and there is a page worker."""
    return open_files(cluster) <= files and len(cluster.page_workers()) == 1


def test_a_deadline_ends_the_work_of_every_stage_within_a_second(folder: Path) -> None:
    with running(folder, stages=SLOW) as cluster, open_blocking_channel(cluster.address) as channel:
        stub = parse_pb2_grpc.DocumentParserStub(channel)
        list(
            stub.ParseStream(requests(document(2, pages=1)), timeout=30)
        )  # the page worker has loaded by then
        warm = steps(cluster)
        started = time.monotonic()
        with pytest.raises(grpc.RpcError) as caught:
            list(stub.ParseStream(requests(document(1, pages=20)), timeout=1.0))
        assert caught.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED
        assert time.monotonic() - started < 1.5
        time.sleep(max(0.0, started + 2.0 - time.monotonic()))
        begun = steps(cluster)
        time.sleep(1.0)
        assert steps(cluster) == begun > warm


def test_callers_that_leave_at_any_time_leave_nothing_in_the_processes(folder: Path) -> None:
    seed = int(time.time())
    sys.stdout.write(f"seed {seed}\n")
    random = Random(seed)
    calm = document(2, pages=2)
    with running(folder, max_documents=1) as cluster, open_blocking_channel(cluster.address) as channel:
        stub = parse_pb2_grpc.DocumentParserStub(channel)
        with Client(cluster.address) as client:
            expected = client.parse(calm).markdown
            list(stub.ParseStream(requests(calm), timeout=30))  # both are connected then
            files = open_files(cluster)
            for _ in range(12):
                call = stub.ParseStream(requests(document(1, pages=8)), timeout=20)
                time.sleep(random.uniform(0, 0.5))
                call.cancel()  # type: ignore[no-untyped-call]
                wait_until(lambda: is_idle(cluster, files), 2.0)
                assert client.parse(calm).markdown == expected  # and there is a place for it at once
        assert cluster.leftovers == []


def test_a_page_does_not_wait_behind_a_long_document(folder: Path) -> None:
    page = document(2, pages=1)
    with running(folder, layouts=1, vlms=1, stages=FAIR) as cluster, Client(cluster.address) as client:
        calm = statistics.median(seconds_of(client, page) for _ in range(5))
        with open_blocking_channel(cluster.address) as channel:
            stub = parse_pb2_grpc.DocumentParserStub(channel)
            call = stub.ParseStream(requests(document(1, pages=200)), timeout=100)
            wait_until(lambda: steps(cluster) > 60)
            beside = statistics.median(seconds_of(client, page) for _ in range(5))
            assert call.is_active()
            call.cancel()  # type: ignore[no-untyped-call]
    assert beside < 5 * calm + 0.3


def seconds_of(client: Client, data: bytes) -> float:
    started = time.monotonic()
    client.parse(data)
    return time.monotonic() - started
