"""Where spans go, and that nothing is done where they go nowhere."""

import asyncio
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from arcscribe.errors import InvalidConfig, QueueFull
from arcscribe.rpc import trace_export
from arcscribe.rpc.logs import REQUEST_ID_KEY
from arcscribe.rpc.metadata import outgoing_metadata
from arcscribe.rpc.trace_export import TracesSettings, exporting
from arcscribe.rpc.traces import OFF, batch_span, current_span, span
from tests.rpc.fake_stage import analyze, running
from tests.rpc.spans import Collector
from tests.waiting import soon

ROOT = Path(__file__).parents[2]
TRACEPARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


def test_without_an_endpoint_there_are_no_spans_and_opentelemetry_is_not_imported() -> None:
    code = (
        "import sys\n"
        "from arcscribe.rpc import interceptor, metadata, traces\n"
        "from arcscribe.rpc.trace_export import TracesSettings, exporting\n"
        "with exporting('x', TracesSettings()), traces.span('page') as own, own.child('crop') as crop:\n"
        "    assert crop is traces.batch_span('decode', [crop]) is traces.OFF\n"
        "    assert [key for key, _ in metadata.outgoing_metadata()] == ['x-request-id']\n"
        "print([name for name in sys.modules if name.startswith('opentelemetry')])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_configured_without_the_packages_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace", None)
    with (
        pytest.raises(InvalidConfig, match="run: pip install opentelemetry-sdk ") as caught,
        ExitStack() as stack,
    ):
        stack.enter_context(exporting("x", TracesSettings("http://collector:4318")))
    assert "\n" not in caught.value.message


@pytest.mark.parametrize(
    "endpoint",
    ["collector:4318", "grpc://collector", "http://", "/v1/traces", "http://[::1", "http://collector:99999"],
)
def test_an_endpoint_that_is_no_address_is_refused(endpoint: str) -> None:
    with pytest.raises(InvalidConfig, match="must be such as http://collector:4318"), ExitStack() as stack:
        stack.enter_context(exporting("x", TracesSettings(endpoint)))


@pytest.mark.parametrize(
    ("endpoint", "whole"),
    [
        ("http://collector:4318", "http://collector:4318/v1/traces"),
        ("http://collector:4318/", "http://collector:4318/v1/traces"),
        ("https://collector/own/path", "https://collector/own/path"),
    ],
)
def test_an_endpoint_without_a_path_gets_the_usual_one(endpoint: str, whole: str) -> None:
    assert trace_export._endpoint(endpoint) == whole


def test_a_call_goes_on_with_the_trace_of_its_caller(tmp_path: Path) -> None:
    collector = Collector()

    async def run() -> None:
        with collector.process():
            async with running(tmp_path) as channel:
                await analyze(channel, "", metadata=(("traceparent", TRACEPARENT),))
                await analyze(channel, "", metadata=(("traceparent", "nonsense"),))
                await soon(lambda: len(collector.named("Analyze")) == 2, 2)

    asyncio.run(run())
    known, unknown = collector.named("Analyze")
    assert known.parent is not None
    assert (f"{known.parent.trace_id:032x}", f"{known.parent.span_id:016x}") == tuple(
        TRACEPARENT.split("-")[1:3]
    )
    assert unknown.parent is None


def test_a_span_in_work_goes_out_with_calls_beside_the_request_id() -> None:
    collector = Collector()
    with collector.process(), span("page"):
        metadata = dict(outgoing_metadata())
    (page,) = collector.named("page")
    assert page.context is not None
    assert metadata.keys() == {REQUEST_ID_KEY, "traceparent"}
    own = f"00-{page.context.trace_id:032x}-{page.context.span_id:016x}-"
    assert metadata["traceparent"].startswith(own)


def test_a_span_of_what_fails_has_the_reason_and_no_message() -> None:
    collector = Collector()
    with collector.process(), pytest.raises(QueueFull), span("page"):
        raise QueueFull("the text of the page")
    with collector.process(), pytest.raises(ValueError, match="text"), span("page"):
        raise ValueError("the text of the page")
    assert [span.status.description for span in collector.named("page")] == ["QUEUE_FULL", "ValueError"]
    assert "the text" not in "".join(span.to_json() for span in collector.spans)


def test_a_batch_is_a_trace_of_its_own_that_names_the_crops_it_is_for() -> None:
    collector = Collector()
    with collector.process(), span("page") as page:
        crops = [page.child("crop"), page.child("crop")]
        with batch_span("decode", [OFF, *crops], crops=2):
            assert current_span() is page
        for crop in crops:
            crop.end()
    (batch,) = collector.named("decode")
    assert batch.parent is None
    assert [link.context for link in batch.links] == [crop.context for crop in collector.named("crop")]
