"""Messages and types round the stream of the VLM stage."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from typing import Any

import structlog

from arcscribe.background import background_threads
from arcscribe.convert.images import is_compressed
from arcscribe.convert.recognition import crop_from_message, result_to_message
from arcscribe.errors import ArcscribeError, InferenceFailed, InvalidOption, QueueFull, StageUnavailable
from arcscribe.rpc.logs import current_request_id
from arcscribe.rpc.metrics import FAILURES, describe
from arcscribe.rpc.status import OPAQUE_MESSAGE
from arcscribe.rpc.traces import Span, current_span
from arcscribe.types import Crop, PartialText, RegionFailure, RegionText
from arcscribe.v1 import vlm_pb2, vlm_pb2_grpc
from vlm_stage.engines.engine import Deliver, Engine, EngineOutput
from vlm_stage.metrics import ENGINE, count_crop
from vlm_stage.outbox import Outbox

SERVICE_NAME = vlm_pb2.DESCRIPTOR.services_by_name["RegionRecognizer"].full_name

FULL_QUEUE_PAUSE_SECONDS = 0.01

MAX_UNANSWERED = 256
"""Crops of one stream that are in work, or whose outputs the caller has not taken; then we read no more."""

log = structlog.get_logger()


class RecognizerServicer(vlm_pb2_grpc.RegionRecognizerServicer):
    """Hands the crops of all streams to one engine, and each output to the stream that it belongs to."""

    def __init__(self, load: Callable[[], Engine]) -> None:
        self._load = load
        self._engine: asyncio.Future[Engine] = asyncio.get_running_loop().create_future()

    async def warm_up(self) -> None:
        """Loads the engine and runs it once; streams that came before are answered after."""
        threads = background_threads(1, "load")
        try:
            engine = await asyncio.get_running_loop().run_in_executor(threads, self._warm_engine)
        finally:
            threads.shutdown(wait=False)
        self._engine.set_result(engine)

    def _warm_engine(self) -> Engine:
        engine = self._load()
        engine.warm_up()
        describe("vlm_stage", engine.model)
        ENGINE.loads = engine.loads
        return engine

    def broken(self) -> bool:
        """Whether the engine has broken down."""
        return self._engine.done() and self._engine.result().broken

    async def close(self, grace_seconds: float) -> None:
        if self._engine.done():
            await asyncio.to_thread(self._engine.result().close, grace_seconds)

    async def Recognize(  # noqa: N802  # the contract's name
        self, requests: AsyncIterator[vlm_pb2.RecognizeRequest], _context: Any
    ) -> AsyncIterator[vlm_pb2.RecognizeResponse]:
        stream = _Stream(await asyncio.shield(self._engine), current_request_id())
        reader = asyncio.ensure_future(stream.read(requests))
        try:
            async for response in stream.responses(reader):
                yield response
        finally:
            reader.cancel()
            stream.cancel()


class _Stream:
    """One caller's crops: which are in work, and what there is to tell of them."""

    def __init__(self, engine: Engine, request_id: str) -> None:
        """The streams of a document, of which each page has one, have the request id in common."""
        self._engine = engine
        self._request_id = request_id
        self._loop = asyncio.get_running_loop()
        self._outbox = Outbox()
        self._seen: set[int] = set()
        self._in_work: dict[int, Callable[[], None]] = {}
        self._room = asyncio.Semaphore(MAX_UNANSWERED)

    async def read(self, requests: AsyncIterator[vlm_pb2.RecognizeRequest]) -> None:
        """Gives every crop to the engine; a mark in the outbox tells of the end."""
        try:
            async for request in requests:
                await self._accept(request)
        finally:
            self._outbox.mark()

    async def responses(self, reader: "asyncio.Future[None]") -> AsyncIterator[vlm_pb2.RecognizeResponse]:
        """What is told as it comes, until the caller has sent all and all is answered."""
        all_read = False
        while not all_read or self._in_work or not self._outbox.is_empty():
            taken = await self._outbox.take()
            if taken is None:
                await reader
                all_read = True
                continue
            crop_id, output = taken
            if not isinstance(output, PartialText):
                self._in_work.pop(crop_id, None)
                self._room.release()
            yield result_to_message(crop_id, output)

    def cancel(self) -> None:
        """Takes back what the engine has not finished."""
        for cancel in self._in_work.values():
            cancel()

    async def _accept(self, request: vlm_pb2.RecognizeRequest) -> None:
        if request.id in self._seen:
            raise InvalidOption(f"crop {request.id} was sent twice in one stream", field="id")
        self._seen.add(request.id)
        await self._room.acquire()
        try:
            self._in_work[request.id] = await self._submit(request)
        except StageUnavailable:
            raise
        except ArcscribeError as error:
            self._refuse(request.id, RegionFailure(error.reason, error.message))
        except Exception:
            log.exception("crop failed")
            self._refuse(request.id, RegionFailure(InferenceFailed.reason, OPAQUE_MESSAGE))

    def _refuse(self, crop_id: int, failure: RegionFailure) -> None:
        FAILURES.labels("crop", failure.reason).inc()
        self._outbox.put(crop_id, failure)

    async def _submit(self, request: vlm_pb2.RecognizeRequest) -> Callable[[], None]:
        if is_compressed(request.image):
            crop = await asyncio.to_thread(crop_from_message, request)
        else:
            crop = crop_from_message(request)
        height, width = crop.pixels.shape[:2]
        span = current_span().child("crop", kind=crop.kind.value, height=height, width=width)
        deliver = self._deliver_to(crop, span)
        try:
            with span.current():
                cancel = await self._hand_in(crop, deliver)
        except BaseException as error:
            span.end(error.reason if isinstance(error, ArcscribeError) else type(error).__name__)
            raise

        def take_back() -> None:
            cancel()
            span.end("CANCELLED")  # one that was answered has ended before

        return take_back

    async def _hand_in(self, crop: Crop, deliver: Deliver) -> Callable[[], None]:
        while True:
            try:
                return self._engine.submit(crop, deliver, stream=self._request_id)
            except QueueFull:  # not reading on holds the caller back
                await asyncio.sleep(FULL_QUEUE_PAUSE_SECONDS)

    def _deliver_to(self, crop: Crop, span: Span) -> Deliver:
        arrived = time.perf_counter()

        def deliver(output: EngineOutput) -> None:
            self._loop.call_soon_threadsafe(self._outbox.put, crop.id, output)
            if not isinstance(output, PartialText):
                count_crop(crop.kind, output, time.perf_counter() - arrived)
                _end_span(span, output)

        return deliver


def _end_span(span: Span, output: RegionText | RegionFailure) -> None:
    if isinstance(output, RegionFailure):
        span.end(output.reason)
        return
    span.annotate(
        engine=output.engine,
        finish_reason=output.finish_reason.value,
        prompt_tokens=output.prompt_tokens,
        generated_tokens=output.generated_tokens,
    )
    span.end()
