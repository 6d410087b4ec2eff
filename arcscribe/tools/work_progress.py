"""A long piece of work on the screen: a bar for each stage on a terminal, a line for each elsewhere."""

import sys

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TaskProgressColumn, TextColumn, TimeElapsedColumn

from arcscribe.models.work import WorkStep


class WorkProgress:
    """Shows its steps on standard error while it is entered."""

    def __init__(self) -> None:
        self._console = Console(stderr=True)
        self._bars = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TaskProgressColumn(),
            TimeElapsedColumn(),
            console=self._console,
            disable=not self._console.is_terminal,
        )
        self._tasks: dict[str, TaskID] = {}

    def __enter__(self) -> "WorkProgress":
        self._bars.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._bars.stop()

    def __call__(self, step: WorkStep) -> None:
        if step.stage not in self._tasks:
            self._tasks[step.stage] = self._bars.add_task(step.stage, total=1.0)
            if not self._console.is_terminal:
                sys.stderr.write(f"{step.stage}\n")
        self._bars.update(self._tasks[step.stage], completed=step.fraction)
