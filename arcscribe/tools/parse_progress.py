"""The progress bar of `arcscribe parse`: on a terminal only, on the standard error stream."""

import sys

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from arcscribe import events
from arcscribe.events import ParseEvent


class ParseProgress:
    """Counts the pages of one document."""

    def __init__(self, name: str) -> None:
        self._bar = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("pages, {task.fields[regions]} regions"),
            TimeElapsedColumn(),
            console=Console(file=sys.stderr),
            disable=not sys.stderr.isatty(),
            transient=True,
        )
        self._task = self._bar.add_task(name, total=None, regions=0)
        self._regions = 0

    def __enter__(self) -> "ParseProgress":
        self._bar.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._bar.stop()

    def saw(self, event: ParseEvent) -> ParseEvent:
        """Takes note of an event and gives it back."""
        match event:
            case events.DocumentOpened():
                self._bar.update(self._task, total=event.selected_pages)
            case events.RegionDone():
                self._regions += 1
                self._bar.update(self._task, regions=self._regions)
            case events.PageDone():
                self._bar.advance(self._task)
        return event
