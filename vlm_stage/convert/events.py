"""What a conversion reports while it works: JSON lines, which `arcscribe models convert` reads."""

from collections.abc import Callable
from typing import IO

import msgspec

Report = Callable[[str, float], None]
"""Takes the name of a stage of the work, and how much of it is done, from 0 to 1."""


class Step(msgspec.Struct, frozen=True, tag="step"):
    """A stage of the work, and how much of it is done."""

    stage: str
    fraction: float


class Done(msgspec.Struct, frozen=True, tag="done"):
    """The end: where the converted model lies, its size, and how many parameters it has."""

    folder: str
    bytes: int
    parameters: int


class Reporter:
    """Writes a line for each event: of a stage's steps, those that a bar would show."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream
        self._last = ("", -1.0)

    def __call__(self, stage: str, fraction: float) -> None:
        last_stage, last_fraction = self._last
        if stage == last_stage and fraction < min(last_fraction + SMALLEST_STEP, 1.0):
            return
        self._last = (stage, fraction)
        self.write(Step(stage, round(fraction, 3)))

    def write(self, event: Step | Done) -> None:
        self._stream.write(msgspec.json.encode(event).decode() + "\n")
        self._stream.flush()


SMALLEST_STEP = 0.01
