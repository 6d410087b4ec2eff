"""Several engines as one: one for each device, behind one queue."""

import threading
from collections.abc import Callable, Hashable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from arcscribe.errors import QueueFull, StageUnavailable
from arcscribe.types import Crop, PartialText, StageModel
from vlm_stage.engines.engine import Cancel, Deliver, Engine, EngineOutput
from vlm_stage.engines.engine_load import EngineLoad


class EnginePool:
    """Gives each crop to the engine that has the fewest; where a crop is, it stays."""

    def __init__(self, engines: Sequence[Engine]) -> None:
        """Raises ValueError where there are none."""
        if not engines:
            raise ValueError("it takes an engine at least")
        self._engines = tuple(engines)
        self._outstanding = [0] * len(engines)
        """How many crops each engine has that are neither answered nor taken back."""
        self._lock = threading.Lock()

    @property
    def model(self) -> StageModel:
        first = self._engines[0].model
        devices = ",".join(engine.model.device for engine in self._engines)
        return StageModel(first.engine, first.name, devices)

    @property
    def broken(self) -> bool:
        """Whether any is: the others would do its work in silence, and slower."""
        return any(engine.broken for engine in self._engines)

    def loads(self) -> Sequence[EngineLoad]:
        """Those of all."""
        return [load for engine in self._engines for load in engine.loads()]

    def warm_up(self) -> None:
        """Runs all models at once."""
        _at_once(engine.warm_up for engine in self._engines)

    def submit(self, crop: Crop, deliver: Deliver, *, stream: Hashable = None) -> Cancel:
        """Takes a crop as `Engine.submit` does; it is refused where every engine refuses it."""
        refusal: QueueFull | StageUnavailable | None = None
        for index in self._by_load():
            try:
                return self._submit_to(index, crop, deliver, stream)
            except (QueueFull, StageUnavailable) as error:
                if not isinstance(refusal, QueueFull):  # which is the one to wait for
                    refusal = error
        assert refusal is not None, "there is an engine"
        raise refusal

    def close(self, grace_seconds: float) -> None:
        """Closes all at once, as `Engine.close` says."""
        _at_once(partial(engine.close, grace_seconds) for engine in self._engines)

    def _by_load(self) -> list[int]:
        with self._lock:
            return sorted(range(len(self._engines)), key=self._outstanding.__getitem__)

    def _submit_to(self, index: int, crop: Crop, deliver: Deliver, stream: Hashable) -> Cancel:
        place = _Place(self._outstanding, index, self._lock)

        def counted(output: EngineOutput) -> None:
            if not isinstance(output, PartialText):
                place.leave()
            deliver(output)

        try:
            cancel = self._engines[index].submit(crop, counted, stream=stream)
        except BaseException:
            place.leave()
            raise

        def take_back() -> None:
            cancel()
            place.leave()

        return take_back


class _Place:
    """One crop's share in the count of an engine, from when it is made until the first `leave`."""

    def __init__(self, counts: list[int], index: int, lock: threading.Lock) -> None:
        self._counts, self._index, self._lock = counts, index, lock
        self._taken = True
        with lock:
            counts[index] += 1

    def leave(self) -> None:
        """Gives the share back; of an answer and a cancel that race, the second does nothing."""
        with self._lock:
            if self._taken:
                self._counts[self._index] -= 1
                self._taken = False


def _at_once(calls: Iterable[Callable[[], None]]) -> None:
    """Runs them beside each other until all have ended, and raises what the first in order raised."""
    waiting = list(calls)
    with ThreadPoolExecutor(len(waiting)) as pool:
        for future in [pool.submit(call) for call in waiting]:
            future.result()
