"""Telling how far a long piece of work is, for the process that started it."""

from collections.abc import Callable

from arcscribe.models.work import WorkStep
from vlm_stage.worker import Tell

Report = Callable[[str, float], None]
"""Takes the name of a stage of the work, and how much of it is done, from 0 to 1."""

SMALLEST_STEP = 0.01
"""Less would not move a bar."""


class Reporter:
    """Tells, of a stage's many steps, those that move a bar."""

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self._last = ("", 0.0)

    def __call__(self, stage: str, fraction: float) -> None:
        last_stage, last_fraction = self._last
        if stage == last_stage and fraction < min(last_fraction + SMALLEST_STEP, 1.0):
            return
        self._last = (stage, fraction)
        self._tell(WorkStep(stage, round(fraction, 3)))
