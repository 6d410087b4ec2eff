"""A pull on the screen: a bar for each file on a terminal, a line for each elsewhere."""

import sys

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, TaskID, TextColumn, TransferSpeedColumn
from rich.progress import Progress as Bars

from arcscribe.models import Note, Progress


class PullProgress:
    """Shows a pull's events on standard error while it is entered."""

    def __init__(self) -> None:
        self._console = Console(stderr=True)
        self._bars = Bars(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            DownloadColumn(),
            TransferSpeedColumn(),
            console=self._console,
            disable=not self._console.is_terminal,
        )
        self._tasks: dict[str, TaskID] = {}

    def __enter__(self) -> "PullProgress":
        self._bars.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._bars.stop()

    def __call__(self, event: Note | Progress) -> None:
        if isinstance(event, Note):
            self._say(event.text)
            return
        name = f"{event.model}/{event.file}"
        if name not in self._tasks:
            self._tasks[name] = self._bars.add_task(name, total=event.total or None)
            if not self._console.is_terminal:
                self._say(name)
        self._bars.update(self._tasks[name], completed=event.done)

    def _say(self, text: str) -> None:
        if self._console.is_terminal:
            self._bars.console.print(text, markup=False, highlight=False)
        else:
            sys.stderr.write(f"{text}\n")
