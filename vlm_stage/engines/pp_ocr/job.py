"""A crop in work."""

import time
from collections.abc import Hashable
from dataclasses import dataclass, field
from itertools import count

from arcscribe.rpc.logs import current_request_id
from arcscribe.rpc.traces import Span, current_span
from arcscribe.types import Crop, RgbImage, TextLine
from vlm_stage.engines.engine import Deliver
from vlm_stage.reading import Reading, ReadLine
from vlm_stage.tables.table import Table

_ids = count()


@dataclass(slots=True, eq=False)
class Job:
    """A crop, and how far it is. `images_left` and `seconds` change under the queue's lock only.

    `request_id` and `span` are those of the call that handed it in, for what is said of it in other threads.
    """

    crop: Crop
    deliver: Deliver
    stream: Hashable = None
    """Whose crop it is."""
    lines: tuple[TextLine, ...] = ()
    readings: dict[int, list[Reading]] = field(default_factory=dict)
    """By index of the line: what each of its images was read as."""
    table: Table | None = None
    images_left: int = 0
    seconds: float = 0.0
    request_id: str = field(default_factory=current_request_id)
    span: Span = field(default_factory=current_span)
    id: int = field(default_factory=_ids.__next__)

    def read_lines(self) -> tuple[ReadLine, ...]:
        """The lines with the best reading of each."""
        best = [
            max(self.readings[index], key=lambda reading: reading.confidence)
            for index in range(len(self.lines))
        ]
        return tuple(
            ReadLine(line, reading.text, reading.confidence)
            for line, reading in zip(self.lines, best, strict=True)
        )


@dataclass(frozen=True, slots=True, eq=False)
class LineTask:
    """One image of one line, 48 pixels high, to be read."""

    job: Job
    index: int
    image: RgbImage


@dataclass(frozen=True, slots=True)
class Prepare:
    """Cut a crop into lines, and a table into cells."""

    job: Job


@dataclass(frozen=True, slots=True)
class ReadLines:
    """Read lines of much the same width, from any crops."""

    tasks: tuple[LineTask, ...]


Step = Prepare | ReadLines


class Stopwatch:
    """Seconds since it was made."""

    def __init__(self) -> None:
        self._start = time.perf_counter()

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self._start
