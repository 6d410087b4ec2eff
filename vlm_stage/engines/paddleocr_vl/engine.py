"""The engine `paddleocr-vl`: a thread that batches the crops of all callers, and the door they come
through."""

import contextvars
import itertools
import queue
import threading
import time
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace

import numpy as np
import structlog

from arcscribe.errors import InferenceFailed, QueueFull, StageUnavailable
from arcscribe.rpc.status import OPAQUE_MESSAGE
from arcscribe.types import (
    Crop,
    FinishReason,
    PartialText,
    RecognizeOptions,
    RegionFailure,
    RegionKind,
    RegionText,
    StageModel,
    TextFormat,
)
from vlm_stage.engines.engine import Cancel, Deliver, EngineOutput, is_full
from vlm_stage.engines.engine_load import EngineLoad
from vlm_stage.engines.paddleocr_vl.batch_reader import BatchReader
from vlm_stage.engines.paddleocr_vl.caller import Caller
from vlm_stage.engines.paddleocr_vl.crop_request import CropRequest
from vlm_stage.engines.paddleocr_vl.failures import fail
from vlm_stage.engines.paddleocr_vl.freed_memory import FreedMemory
from vlm_stage.engines.paddleocr_vl.inputs.prompts import task_of

CAPACITY = 256
"""Crops that may wait or be in work."""
IDLE_SECONDS = 1.0
"""Without anything to do, after which freed memory is given back."""
_RETRY_AFTER_MS = "500"
_WARM_UP_SIDE = 28
"""Pixels: one token of the vision encoder, before it is enlarged."""

_log = structlog.get_logger()

MakeReader = Callable[[Callable[[], None]], BatchReader]
"""Makes the reader, given what it is to call, from any thread, when there may be something to do."""


class PaddleOcrVlEngine:
    """Takes crops in any thread, and reads them in one of its own."""

    def __init__(self, model: StageModel, make_reader: MakeReader, capacity: int = CAPACITY) -> None:
        self._model, self._capacity = model, capacity
        self._inbox: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._reader = make_reader(lambda: self._inbox.put(_nothing))
        self._freed_memory = FreedMemory()
        self._ids = itertools.count()
        self._changed = threading.Condition()
        self._open: dict[int, CropRequest] = {}
        self._refusal = ""
        """Why no more crops are taken; empty while they are."""
        self._ended = self._broken = False
        # What a log line says of the process and the device comes from the context.
        context = contextvars.copy_context()
        self._thread = threading.Thread(
            target=context.run, args=(self._run,), name="paddleocr-vl", daemon=True
        )
        self._thread.start()

    @property
    def model(self) -> StageModel:
        return self._model

    @property
    def broken(self) -> bool:
        return self._broken

    def loads(self) -> Sequence[EngineLoad]:
        load = self._reader.load()
        return [replace(load, waiting=max(0, len(self._open) - load.in_work))]

    def warm_up(self) -> None:
        """Compiles for every length that the vision encoder is padded to, and reads an empty crop.

        Raises:
            InferenceFailed: the crop could not be read.
            StageUnavailable: the engine broke down before it.
        """
        self._inbox.put(self._reader.warm_up)
        answers: queue.SimpleQueue[EngineOutput] = queue.SimpleQueue()
        empty = np.full((_WARM_UP_SIDE, _WARM_UP_SIDE, 3), 255, np.uint8)
        self.submit(Crop(0, RegionKind.TEXT, empty, options=RecognizeOptions(max_new_tokens=2)), answers.put)
        answer = answers.get()
        if isinstance(answer, RegionFailure):
            why = "the error logged before says why" if answer.message == OPAQUE_MESSAGE else answer.message
            raise InferenceFailed(f"the model does not read an empty region: {why}")

    def submit(self, crop: Crop, deliver: Deliver, *, stream: Hashable = None) -> Cancel:
        """Takes a crop, as `Engine.submit` says; pictures are answered at once, without a text."""
        prompt = crop.options.prompt or task_of(crop.kind)
        if prompt is None:
            deliver(self._picture())
            return _nothing
        request_id, caller = next(self._ids), Caller(deliver)
        request = CropRequest(
            request_id, stream, crop, prompt, lambda output: self._tell(request_id, caller, output)
        )
        with self._changed:
            if self._refusal:
                raise StageUnavailable(self._refusal)
            if is_full([other.crop for other in self._open.values()], self._capacity):
                raise QueueFull(f"{len(self._open)} crops wait; try again", retry_after_ms=_RETRY_AFTER_MS)
            self._open[request_id] = request
        self._inbox.put(lambda: self._reader.add(request))
        return lambda: self._cancel(request, caller)

    def close(self, grace_seconds: float) -> None:
        end = time.monotonic() + grace_seconds
        with self._changed:
            self._refusal = self._refusal or "the engine is closing; try again"
            self._changed.wait_for(lambda: not self._open, timeout=grace_seconds)
            rest = list(self._open.values())
            self._ended = True
        for request in rest:
            fail(request, StageUnavailable("the engine closed before the region was read"))
        self._inbox.put(_nothing)
        self._thread.join(timeout=max(0.0, end - time.monotonic()))

    def _cancel(self, request: CropRequest, caller: Caller) -> None:
        caller.leave()
        if self._take_out(request.id):
            self._inbox.put(lambda: self._reader.cancel(request))

    def _tell(self, request_id: int, caller: Caller, output: EngineOutput) -> None:
        """Passes it on; a crop is open until its answer has been, so that `close` waits for that."""
        caller.tell(output)
        if not isinstance(output, PartialText):
            self._take_out(request_id)

    def _take_out(self, request_id: int) -> bool:
        """Whether the crop was open until now."""
        with self._changed:
            request = self._open.pop(request_id, None)
            self._changed.notify_all()
            return request is not None

    def _picture(self) -> RegionText:
        return RegionText(
            "", TextFormat.NONE, FinishReason.STOP, self._model.engine, self._model.name, milliseconds=0.0
        )

    def _run(self) -> None:
        structlog.contextvars.bind_contextvars(device=self._model.device)
        try:
            while not self._ended:
                self._take_in()
                self._reader.step()
                self._freed_memory.give_back_if_due()
        except Exception as error:
            self._break_down(error)
        finally:
            self._reader.close()

    def _take_in(self) -> None:
        """Does what came from other threads; waits for it where there is nothing else to do."""
        if not self._reader.can_step:
            self._wait_for_next()()
        while not self._inbox.empty():
            self._inbox.get()()

    def _wait_for_next(self) -> Callable[[], None]:
        try:
            return self._inbox.get(timeout=IDLE_SECONDS)
        except queue.Empty:
            self._freed_memory.give_back()
            return self._inbox.get()

    def _break_down(self, error: Exception) -> None:
        """Our own fault, since what can fail for one crop is caught there: all fail, and no more are
        taken."""
        _log.critical("the engine broke down", exc_info=error)
        with self._changed:
            self._refusal = "the engine has broken down, as its log tells; start it again"
            self._broken = True
            rest = list(self._open.values())
        for request in rest:
            request.fail(InferenceFailed.reason, OPAQUE_MESSAGE)


def _nothing() -> None:
    """Wakes the thread, or takes nothing back."""
