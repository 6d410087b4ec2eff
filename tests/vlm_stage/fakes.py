"""An engine that reads nothing: tests say what becomes of each crop, and when."""

import threading
import time
from collections.abc import Hashable, Sequence

from arcscribe.errors import QueueFull
from arcscribe.types import (
    Crop,
    FinishReason,
    PartialText,
    RegionFailure,
    RegionText,
    StageModel,
    TextFormat,
)
from vlm_stage.engines.engine import Cancel, Deliver
from vlm_stage.engines.engine_load import EngineLoad


def text_of(crop: Crop) -> RegionText:
    """What the fake engine reads in a crop: its draft."""
    return RegionText(crop.draft, TextFormat.PLAIN, FinishReason.STOP, "fake", "none", 1.0)


class FakeEngine:
    """Holds up to `capacity` crops until the test answers them with `finish`."""

    def __init__(self, capacity: int = 100) -> None:
        self._capacity = capacity
        self._lock = threading.Lock()
        self._waiting: dict[int, tuple[Crop, Deliver]] = {}
        self.warmed_up = False
        self.accepted: list[int] = []
        self.cancelled: list[int] = []
        self.streams: list[Hashable] = []
        """The stream of each crop of `accepted`."""
        self.closed_with: list[float] = []
        self.broken = False
        self.breaks_at: frozenset[int] = frozenset()
        """Ids of crops at whose mere sight the engine breaks."""

    @property
    def model(self) -> StageModel:
        return StageModel("fake", "none", "CPU")

    @property
    def waiting(self) -> list[int]:
        with self._lock:
            return list(self._waiting)

    def loads(self) -> Sequence[EngineLoad]:
        return [EngineLoad("CPU", waiting=len(self.waiting), in_work=0)]

    def warm_up(self) -> None:
        self.warmed_up = True

    def submit(self, crop: Crop, deliver: Deliver, *, stream: Hashable = None) -> Cancel:
        if crop.id in self.breaks_at:
            raise RuntimeError("this engine is broken")
        with self._lock:
            if len(self._waiting) >= self._capacity:
                raise QueueFull("full")
            self._waiting[crop.id] = crop, deliver
            self.accepted.append(crop.id)
            self.streams.append(stream)

        def cancel() -> None:
            with self._lock:
                if self._waiting.pop(crop.id, None):
                    self.cancelled.append(crop.id)

        return cancel

    def write(self, crop_id: int, text: str) -> None:
        """Delivers what is read so far of a crop, from another thread."""
        with self._lock:
            _, deliver = self._waiting[crop_id]
        thread = threading.Thread(target=deliver, args=(PartialText(text),))
        thread.start()
        thread.join()

    def finish(self, crop_id: int, result: RegionText | RegionFailure | None = None) -> None:
        """Answers a crop from another thread, as engines do; by default with its draft."""
        with self._lock:
            crop, deliver = self._waiting.pop(crop_id)
        thread = threading.Thread(target=deliver, args=(result or text_of(crop),))
        thread.start()
        thread.join()

    def close(self, grace_seconds: float) -> None:
        self.closed_with.append(grace_seconds)


class EagerEngine(FakeEngine):
    """Answers every crop in a thread of its own, `seconds` after the last one."""

    def __init__(self, capacity: int = 100, seconds: float = 0.0) -> None:
        super().__init__(capacity)
        self._seconds = seconds
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def _work(self) -> None:
        while not self._stop.is_set():
            for crop_id in self.waiting[:1]:
                self.finish(crop_id)
            time.sleep(self._seconds or 0.0005)

    def close(self, grace_seconds: float) -> None:
        super().close(grace_seconds)
        self._stop.set()
        self._thread.join()
