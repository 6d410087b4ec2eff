"""A crop as it was handed in: what is asked of it, and whom to tell."""

import time
from collections.abc import Hashable
from dataclasses import dataclass, field

from arcscribe.rpc.logs import current_request_id
from arcscribe.rpc.traces import Span, current_span
from arcscribe.types import Crop, RegionFailure
from vlm_stage.engines.engine import Deliver


@dataclass(frozen=True, slots=True, eq=False)
class CropRequest:
    """`prompt` is the task's; `arrived` is in seconds of the monotonic clock.

    `request_id` and `span` are those of the call that handed it in, for what is said of it in other threads.
    """

    id: int
    stream: Hashable
    crop: Crop
    prompt: str
    deliver: Deliver
    arrived: float = field(default_factory=time.monotonic)
    request_id: str = field(default_factory=current_request_id)
    span: Span = field(default_factory=current_span)

    @property
    def milliseconds(self) -> float:
        """Since it arrived."""
        return (time.monotonic() - self.arrived) * 1000

    def fail(self, reason: str, message: str) -> None:
        """Answers with a failure; the message is for the caller."""
        self.deliver(RegionFailure(reason, message))
