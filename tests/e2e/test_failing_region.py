"""A region that fails leaves every other region in place, a visible comment, and a count."""

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2_grpc

from arcscribe.client import Client
from arcscribe.events import RegionDone
from arcscribe.rpc.channel import MESSAGE_OPTIONS
from arcscribe.rpc.health import SERVING, Health
from arcscribe.tools.local_service import LocalService, is_serving
from arcscribe.tools.stage_process import StageCommand, StageProcess
from arcscribe.types import RegionFailure, RegionKind
from arcscribe.v1 import page_pb2, vlm_pb2, vlm_pb2_grpc
from tests.waiting import wait_until


class FailingTables(vlm_pb2_grpc.RegionRecognizerServicer):
    """A VLM stage that passes crops on to a real one, and fails each table."""

    def __init__(self, address: str) -> None:
        self._address = address

    async def Recognize(  # noqa: N802
        self, requests: AsyncIterator[vlm_pb2.RecognizeRequest], _context: Any
    ) -> AsyncIterator[vlm_pb2.RecognizeResponse]:
        received = [request async for request in requests]
        tables = [request for request in received if request.kind == page_pb2.REGION_KIND_TABLE]
        for request in tables:
            failure = vlm_pb2.RegionFailure(reason="INFERENCE_FAILED", message="a fault was injected")
            yield vlm_pb2.RecognizeResponse(id=request.id, failure=failure)
        others = [request for request in received if request.kind != page_pb2.REGION_KIND_TABLE]
        async with grpc.aio.insecure_channel(self._address, options=MESSAGE_OPTIONS) as channel:
            async for response in vlm_pb2_grpc.RegionRecognizerStub(channel).Recognize(iter(others)):
                yield response


@pytest.fixture
def failing_vlm(service: LocalService, tmp_path: Path) -> Iterator[str]:
    """The address of a VLM stage that fails each table."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    address = f"unix:{tmp_path}/failing.sock"

    async def start() -> grpc.aio.Server:
        server = grpc.aio.server(options=MESSAGE_OPTIONS)
        real = service.stages["vlm_stage"].command.address
        vlm_pb2_grpc.add_RegionRecognizerServicer_to_server(FailingTables(real), server)
        health = Health()
        await health.say("", SERVING)
        health_pb2_grpc.add_HealthServicer_to_server(health, server)
        server.add_insecure_port(address)
        await server.start()
        return server

    server = asyncio.run_coroutine_threadsafe(start(), loop).result()
    yield address
    asyncio.run_coroutine_threadsafe(server.stop(None), loop).result()
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


@pytest.fixture
def client(service: LocalService, failing_vlm: str, tmp_path: Path) -> Iterator[Client]:
    """A client of an orchestrator with the failing VLM stage."""
    layout = service.stages["layout_stage"].command.address
    settings = {"layout": {"address": layout}, "vlm": {"address": failing_vlm}}
    address = f"unix:{tmp_path}/orchestrator.sock"
    stage = StageProcess(StageCommand("orchestrator", address, settings), tmp_path)
    try:
        wait_until(lambda: is_serving(address), 60)
        with Client(address) as made:
            yield made
    finally:
        stage.stop()


def test_a_failed_region_leaves_the_others_in_place_a_visible_comment_and_a_count(
    client: Client, service: LocalService, samples: Path
) -> None:
    source = samples / "contract.pdf"
    with Client(service.address) as healthy:
        whole = healthy.parse(source)
    broken = client.parse(source)

    whole_blocks = [block for page in whole.document.pages for block in page.blocks]
    broken_blocks = [block for page in broken.document.pages for block in page.blocks]
    assert [block.region for block in broken_blocks] == [block.region for block in whole_blocks]
    failed = [block for block in broken_blocks if isinstance(block.result, RegionFailure)]
    assert [block.region.kind for block in failed] == [RegionKind.TABLE]
    for ours, theirs in zip(broken_blocks, whole_blocks, strict=True):
        if ours not in failed:
            assert not isinstance(ours.result, RegionFailure)
            assert not isinstance(theirs.result, RegionFailure)
            assert ours.result.text == theirs.result.text

    assert broken.assembled.total.lost == len(failed[0].region.lines) > 0
    assert whole.assembled.total.lost == 0
    notice = (
        f"region {broken_blocks.index(failed[0]) + 1} (table) on page 1 could not be read: INFERENCE_FAILED"
    )
    assert f"<!-- {notice} -->" in broken.markdown
    assert f"**[{notice}]**" in broken.markdown
    assert "<table>" in whole.markdown
    assert "<table>" not in broken.markdown


def test_the_failure_is_told_as_an_event_when_it_happens(client: Client, samples: Path) -> None:
    events = list(client.stream(samples / "contract.pdf"))
    failures = [
        event
        for event in events
        if isinstance(event, RegionDone) and isinstance(event.block.result, RegionFailure)
    ]
    assert [event.block.region.kind for event in failures] == [RegionKind.TABLE]
