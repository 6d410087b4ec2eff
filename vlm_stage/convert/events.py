"""Writing down what a conversion does, for the process that started it."""

from collections.abc import Callable
from typing import IO

import msgspec

from arcscribe.models.conversion import ConvertEvent, ConvertStep

Report = Callable[[str, float], None]
"""Takes the name of a stage of the work, and how much of it is done, from 0 to 1."""

SMALLEST_STEP = 0.01
"""Less would not move a bar."""


class Reporter:
    """Writes a line for each event; of a stage's many steps, those that move a bar."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream
        self._last = ("", 0.0)

    def __call__(self, stage: str, fraction: float) -> None:
        last_stage, last_fraction = self._last
        if stage == last_stage and fraction < min(last_fraction + SMALLEST_STEP, 1.0):
            return
        self._last = (stage, fraction)
        self.write(ConvertStep(stage, round(fraction, 3)))

    def write(self, event: ConvertEvent) -> None:
        """Writes it at once."""
        self._stream.write(msgspec.json.encode(event).decode() + "\n")
        self._stream.flush()
