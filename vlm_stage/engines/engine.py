"""What every engine of the VLM stage does: crops in at any time, each answered once, when it is ready."""

from collections.abc import Callable, Collection, Hashable, Sequence
from typing import Protocol

from arcscribe.types import Crop, PartialText, RegionFailure, RegionText, StageModel
from vlm_stage.engines.engine_load import EngineLoad

EngineOutput = PartialText | RegionText | RegionFailure
Deliver = Callable[[EngineOutput], None]
Cancel = Callable[[], None]

MOST_BYTES = 768_000_000
"""Of the pixels of all crops that an engine holds: as many as 16 of the largest pages have."""


def is_full(held: Collection[Crop], capacity: int) -> bool:
    """Whether an engine that holds these crops takes no more for now.

    That it may go beyond `MOST_BYTES` by one crop lets a large one in when its turn comes, and not only when
    there are no small ones.
    """
    return len(held) >= capacity or sum(crop.pixels.nbytes for crop in held) >= MOST_BYTES


class Engine(Protocol):
    """A loaded model that reads crops in threads of its own.

    The crops of all callers share one engine, which reads them in the batches that suit it.
    """

    @property
    def model(self) -> StageModel: ...

    @property
    def broken(self) -> bool:
        """Whether it can read no more crops: it was not one of them that failed, but the engine."""
        ...

    def loads(self) -> Sequence[EngineLoad]:
        """What it has to do, one for each device; to be asked at any time, from any thread."""
        ...

    def warm_up(self) -> None:
        """Runs the model once, so that the first crop does not wait for what is compiled at first use."""
        ...

    def submit(self, crop: Crop, deliver: Deliver, *, stream: Hashable = None) -> Cancel:
        """Takes a crop to be read, and returns at once.

        `deliver` is called from a thread of the engine, which may be before this returns; it must not block.
        It gets exactly one RegionText or RegionFailure; before that any number of PartialText, where
        `crop.options` asks for it and the engine has some. How often is the engine's to say, since a text
        that is not told need not be made. A crop that cannot be read harms no other.

        Args:
            crop: what is to be read.
            deliver: takes what becomes of it.
            stream: whose crop it is; crops of all streams are read in turn.

        Returns:
            What takes the crop back: after it, nothing is delivered that was not already on its way.

        Raises:
            QueueFull: as many crops, or as many pixels, wait as the engine will hold.
            StageUnavailable: the engine is closed.
        """
        ...

    def close(self, grace_seconds: float) -> None:
        """Takes no more crops, gives those in work so many seconds, fails the rest, and ends the threads.

        It waits no longer than that in all: a thread that is in the middle of something ends behind it.
        """
        ...
