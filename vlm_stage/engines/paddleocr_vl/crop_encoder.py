"""Crops on their way to the decoder: cut into patches in other threads, encoded a row of crops at a time."""

from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Executor, Future
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arcscribe.fair_queue import FairQueue
from arcscribe.rpc.traces import OFF, batch_span
from vlm_stage.engines.paddleocr_vl.crop_request import CropRequest
from vlm_stage.engines.paddleocr_vl.failures import fail
from vlm_stage.engines.paddleocr_vl.inputs.crop_preparer import PreparedCrop
from vlm_stage.engines.paddleocr_vl.networks.packing import how_many_fit
from vlm_stage.engines.paddleocr_vl.networks.vision_encoder import VisionEncoder

PREPARED_AHEAD = 8
"""Crops that are patches, or about to be, and wait for the encoder: up to 12 MB each, or 50 if asked for."""


@dataclass(frozen=True, slots=True, eq=False)
class EncodedCrop:
    """`image_tokens` is float32 (n, hidden)."""

    request: CropRequest
    prepared: PreparedCrop
    image_tokens: NDArray[np.float32]


class CropEncoder:
    """Requests in, encoded crops out, those of all streams in turn. For one thread.

    `prepare` is run in `threads`, and `when_prepared` called there after it. Where the device `overlaps`, a
    row is encoded while the decoder runs; where it does not, at once.
    """

    def __init__(
        self,
        vision: VisionEncoder,
        prepare: Callable[[CropRequest], PreparedCrop],
        threads: Executor,
        when_prepared: Callable[[], None],
        *,
        overlaps: bool,
        row_patches: int,
    ) -> None:
        self._vision, self._prepare, self._threads = vision, prepare, threads
        self._when_prepared = when_prepared
        self._overlaps, self._row_patches = overlaps, row_patches
        self._waiting: FairQueue[CropRequest] = FairQueue()
        self._preparing: deque[tuple[CropRequest, Future[PreparedCrop]]] = deque()
        self._ready: deque[tuple[CropRequest, PreparedCrop]] = deque()
        self._row: list[tuple[CropRequest, PreparedCrop | None]] = []  # None: cancelled
        self._row_span = OFF

    @property
    def can_advance(self) -> bool:
        """Whether there is something to do now; else what is being prepared will be ready later."""
        return bool(self._ready or self._row or (self._preparing and self._preparing[0][1].done()))

    def add(self, request: CropRequest) -> None:
        """Takes a crop."""
        self._waiting.add(request)
        self._begin_preparing()

    def cancel(self, request: CropRequest) -> None:
        """Forgets a crop; one that is in the row that is being encoded is left out of what comes back."""
        if self._waiting.holds(request):
            self._waiting.remove(request)
        for other, future in self._preparing:
            if other is request:
                future.cancel()
        self._preparing = deque(item for item in self._preparing if item[0] is not request)
        self._ready = deque(item for item in self._ready if item[0] is not request)
        self._row = [(other, None if other is request else prepared) for other, prepared in self._row]
        self._begin_preparing()

    def advance(self, room: int, *, may_wait: bool) -> list[EncodedCrop]:
        """Takes the row that is encoded, and begins the next if there is room for any of it.

        Args:
            room: for how many crops the decoder has a use.
            may_wait: whether there is nothing else to do until the row is encoded.
        """
        self._take_prepared()
        if not self._row:
            self._begin_row(room)
        if self._row and (may_wait or not self._overlaps or self._vision.is_done):
            return self._end_row()
        return []

    def warm_up(self) -> None:
        """Encodes an empty row of every length that rows are padded to."""
        self._vision.warm_up()

    def close(self) -> None:
        """Prepares no more."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _begin_preparing(self) -> None:
        while self._waiting and len(self._preparing) + len(self._ready) < PREPARED_AHEAD:
            request = self._waiting.take()
            future = self._threads.submit(self._prepare, request)
            self._preparing.append((request, future))
            future.add_done_callback(lambda _: self._when_prepared())

    def _take_prepared(self) -> None:
        while self._preparing and self._preparing[0][1].done():
            request, future = self._preparing.popleft()
            error = future.exception()
            if error is None:
                self._ready.append((request, future.result()))
            else:
                fail(request, error)
        self._begin_preparing()

    def _begin_row(self, room: int) -> None:
        fitting = [item for item, _ in zip(self._ready, range(room), strict=False)]
        sizes = [len(prepared.patches.values) for _, prepared in fitting]
        row = fitting[: how_many_fit(sizes, self._row_patches)]
        if not row:
            return
        for _ in row:
            self._ready.popleft()
        spans = [request.span for request, _ in row]
        self._row_span = batch_span("encode", spans, crops=len(row), patches=sum(sizes[: len(row)]))
        try:
            self._vision.start([prepared.patches for _, prepared in row])
        except Exception as error:  # as in `_end_row`
            _fail_all(row, error)
        else:
            self._row = [*row]

    def _end_row(self) -> list[EncodedCrop]:
        row, self._row = self._row, []
        try:
            encoded = self._vision.collect()
            self._row_span.end()
        except Exception as error:  # OpenVINO's are RuntimeErrors, but whatever it is costs this row only
            self._row_span.end(type(error).__name__)
            _fail_all(row, error)
            return []
        return [
            EncodedCrop(request, prepared, tokens)
            for (request, prepared), tokens in zip(row, encoded, strict=True)
            if prepared
        ]


def _fail_all(row: Iterable[tuple[CropRequest, PreparedCrop | None]], error: Exception) -> None:
    for request, prepared in row:
        if prepared:
            fail(request, error)
