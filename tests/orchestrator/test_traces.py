"""One trace for a document, through the servers of all three processes."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import grpc
import pytest

from arcscribe.async_client import AsyncClient
from arcscribe.rpc.server import Service, serve
from arcscribe.types import Box, PageLayout, Region, RegionKind, RgbImage, StageModel
from arcscribe.v1 import layout_pb2_grpc, parse_pb2_grpc, vlm_pb2_grpc
from layout_stage.servicer import SERVICE_NAME as LAYOUT
from layout_stage.servicer import LayoutServicer
from orchestrator.admission import Admission
from orchestrator.pages.limits import PageLimits
from orchestrator.pipeline import Pipeline
from orchestrator.servicer import SERVICE_NAME as PARSER
from orchestrator.servicer import ParserServicer
from orchestrator.stages.layout import LayoutStage
from orchestrator.stages.stage_settings import StageSettings
from orchestrator.stages.vlm import VlmStage
from tests.orchestrator.test_pipeline import FakeSource
from tests.rpc.spans import Collector
from tests.vlm_stage.fakes import EagerEngine
from vlm_stage.servicer import SERVICE_NAME as VLM
from vlm_stage.servicer import RecognizerServicer

NAME = "agreement of A and B.pdf"


class Source(FakeSource):
    """Two pages, within the limits."""

    limits = PageLimits()


class OneRegion:
    """An analyzer that finds a region on each page."""

    model = StageModel("fake", "", "CPU")

    def analyze(self, image: RgbImage, *, detect_orientation: bool = True) -> PageLayout:  # noqa: ARG002
        height, width = image.shape[:2]
        region = Region(1, RegionKind.TEXT, "text", 0.9, Box(5, 5, 55, 25))
        return PageLayout(0, width, height, (region,), self.model)


@asynccontextmanager
async def process(collector: Collector, address: str, service: Service) -> AsyncIterator[None]:
    with collector.process():
        task = asyncio.create_task(serve(service, address, grace_seconds=1.0))
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def nothing() -> None:
    return


@asynccontextmanager
async def three_processes(folder: Path, collector: Collector) -> AsyncIterator[AsyncClient]:
    """A client of an orchestrator with both stages, each a server of its own with its own tracer."""
    addresses = {name: f"unix:{folder}/{name}.sock" for name in ("layout", "vlm", "parser")}
    layout, vlm = LayoutServicer(OneRegion, 8), RecognizerServicer(EagerEngine)
    stages = LayoutStage(StageSettings(addresses["layout"])), VlmStage(StageSettings(addresses["vlm"]))
    parser = ParserServicer(Pipeline(Source(2), *stages, window=1), Admission(8, 10**9))  # type: ignore[arg-type]  # a fake

    def service(
        name: str, add: Callable[[grpc.aio.Server], None], warm_up: Callable[[], Awaitable[None]]
    ) -> Service:
        return Service(name, add, warm_up, nothing)

    services = {
        "layout": service(
            LAYOUT,
            lambda server: layout_pb2_grpc.add_LayoutAnalyzerServicer_to_server(layout, server),
            layout.warm_up,
        ),
        "vlm": service(
            VLM, lambda server: vlm_pb2_grpc.add_RegionRecognizerServicer_to_server(vlm, server), vlm.warm_up
        ),
        "parser": service(
            PARSER,
            lambda server: parse_pb2_grpc.add_DocumentParserServicer_to_server(parser, server),
            nothing,
        ),
    }
    async with AsyncExitStack() as stack:
        for name, one in services.items():
            await stack.enter_async_context(process(collector, addresses[name], one))
        yield await stack.enter_async_context(AsyncClient(addresses["parser"]))
        for stage in stages:
            await stage.close()
        await layout.close()
        await vlm.close(0.0)


@pytest.fixture(scope="module")
def collector(tmp_path_factory: pytest.TempPathFactory) -> Collector:
    """With the spans of one document of two pages."""
    collector = Collector()

    async def run() -> None:
        async with three_processes(tmp_path_factory.mktemp("s"), collector) as client:
            parsed = await client.parse(b"", name=NAME)
            assert len(parsed.document.pages) == 2

    asyncio.run(run())
    return collector


def test_pages_crops_and_layout_calls_are_in_the_documents_trace(collector: Collector) -> None:
    for name in ("crop", "analyze"):
        assert len(collector.named(name)) == 2
    call = ["ParseStream", "document", "page"]
    assert {tuple(collector.path(span)) for span in collector.named("crop")} == {(*call, "Recognize", "crop")}
    assert {tuple(collector.path(span)) for span in collector.named("analyze")} == {
        (*call, "layout", "Analyze", "analyze")
    }
    assert len({span.context.trace_id for span in collector.spans if span.context}) == 1


def test_spans_say_what_they_are_of_and_nothing_that_the_document_says(collector: Collector) -> None:
    (crop, _) = collector.named("crop")
    assert crop.attributes is not None
    assert dict(crop.attributes) | {"height": 0, "width": 0} == {
        "kind": "text",
        "height": 0,
        "width": 0,
        "engine": "fake",
        "finish_reason": "stop",
        "prompt_tokens": 0,
        "generated_tokens": 0,
    }
    pages = [dict(span.attributes or {}) for span in collector.named("page")]
    assert {page["page"] for page in pages} == {1, 2}
    assert {page["regions"] for page in pages} == {1}
    assert NAME not in "".join(span.to_json() for span in collector.spans)
