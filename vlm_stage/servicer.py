"""Messages and types round the stream of the VLM stage."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import structlog

from arcscribe.convert.images import is_compressed
from arcscribe.convert.recognition import crop_from_message, failure_to_message, text_to_message
from arcscribe.errors import ArcscribeError, InferenceFailed, InvalidOption, QueueFull, StageUnavailable
from arcscribe.rpc.status import OPAQUE_MESSAGE
from arcscribe.types import RegionFailure, RegionText
from arcscribe.v1 import vlm_pb2, vlm_pb2_grpc
from vlm_stage.engines.engine import Engine

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
        self._engine.set_result(await asyncio.to_thread(self._warm_engine))

    def _warm_engine(self) -> Engine:
        engine = self._load()
        engine.warm_up()
        return engine

    async def close(self, grace_seconds: float) -> None:
        if self._engine.done():
            await asyncio.to_thread(self._engine.result().close, grace_seconds)

    async def Recognize(  # noqa: N802  # the contract's name
        self, requests: AsyncIterator[vlm_pb2.RecognizeRequest], _context: Any
    ) -> AsyncIterator[vlm_pb2.RecognizeResponse]:
        stream = _Stream(await asyncio.shield(self._engine))
        reader = asyncio.ensure_future(stream.read(requests))
        try:
            async for response in stream.responses(reader):
                yield response
        finally:
            reader.cancel()
            stream.cancel()


class _Stream:
    """One caller's crops: which are in work, and the outputs that are ready."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._loop = asyncio.get_running_loop()
        self._ready: asyncio.Queue[vlm_pb2.RecognizeResponse | None] = asyncio.Queue()
        self._seen: set[int] = set()
        self._in_work: dict[int, Callable[[], None]] = {}
        self._room = asyncio.Semaphore(MAX_UNANSWERED)

    async def read(self, requests: AsyncIterator[vlm_pb2.RecognizeRequest]) -> None:
        """Gives every crop to the engine; a `None` in the queue marks the end."""
        try:
            async for request in requests:
                await self._accept(request)
        finally:
            self._ready.put_nowait(None)

    async def responses(self, reader: "asyncio.Future[None]") -> AsyncIterator[vlm_pb2.RecognizeResponse]:
        """Outputs as they get ready, until the caller has sent all and all is answered."""
        all_read = False
        while not all_read or self._in_work or not self._ready.empty():
            response = await self._ready.get()
            if response is None:
                await reader
                all_read = True
                continue
            self._in_work.pop(response.id, None)
            self._room.release()
            yield response

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
            self._deliver(request.id, RegionFailure(error.reason, error.message))
        except Exception:
            log.exception("crop failed")
            self._deliver(request.id, RegionFailure(InferenceFailed.reason, OPAQUE_MESSAGE))

    async def _submit(self, request: vlm_pb2.RecognizeRequest) -> Callable[[], None]:
        if is_compressed(request.image):
            crop = await asyncio.to_thread(crop_from_message, request)
        else:
            crop = crop_from_message(request)
        while True:
            try:
                return self._engine.submit(crop, lambda result: self._deliver_from_engine(crop.id, result))
            except QueueFull:  # not reading on holds the caller back
                await asyncio.sleep(FULL_QUEUE_PAUSE_SECONDS)

    def _deliver_from_engine(self, crop_id: int, result: RegionText | RegionFailure) -> None:
        self._loop.call_soon_threadsafe(self._deliver, crop_id, result)

    def _deliver(self, crop_id: int, result: RegionText | RegionFailure) -> None:
        self._ready.put_nowait(_response(crop_id, result))


def _response(crop_id: int, result: RegionText | RegionFailure) -> vlm_pb2.RecognizeResponse:
    if isinstance(result, RegionText):
        return vlm_pb2.RecognizeResponse(id=crop_id, text=text_to_message(result))
    return vlm_pb2.RecognizeResponse(id=crop_id, failure=failure_to_message(result))
