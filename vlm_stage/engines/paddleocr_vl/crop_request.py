"""A crop as it was handed in: what is asked of it, and whom to tell."""

import time
from collections.abc import Hashable
from dataclasses import dataclass, field

from arcscribe.types import Crop, RegionFailure
from vlm_stage.engines.engine import Deliver


@dataclass(frozen=True, slots=True, eq=False)
class CropRequest:
    """`prompt` is the task's; `arrived` is in seconds of the monotonic clock."""

    id: int
    stream: Hashable
    crop: Crop
    prompt: str
    deliver: Deliver
    arrived: float = field(default_factory=time.monotonic)

    @property
    def milliseconds(self) -> float:
        """Since it arrived."""
        return (time.monotonic() - self.arrived) * 1000

    def fail(self, reason: str, message: str) -> None:
        """Answers with a failure; the message is for the caller."""
        self.deliver(RegionFailure(reason, message))
