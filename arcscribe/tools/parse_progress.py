"""How far `arcscribe parse` is, and what it is reading: on the standard error stream."""

import sys

from rich.cells import cell_len
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text

from arcscribe import events
from arcscribe.events import ParseEvent, RegionPartial
from arcscribe.tools.errors import printable

SHOWN_REGIONS = 4
"""Lines below the bar, for the regions that were read last."""
TAIL_CELLS = 80
"""Of a region's text in a line that stays."""
_REFRESHES_PER_SECOND = 8
_READ_AT_ONCE = 2_000
"""Characters of a text's end that are looked at: more than a line holds."""


class ParseProgress:
    """Counts the pages of one document, and shows the ends of the regions that are being read.

    On a terminal that is a bar with lines below it, which go away in the end; elsewhere a line for each
    partial text that is not empty, of which there are none unless they were asked for.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._regions = 0
        self._reading: dict[tuple[int, int], RegionPartial] = {}
        self._console = Console(file=sys.stderr)
        self._is_live = sys.stderr.isatty()
        self._bar = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("pages, {task.fields[regions]}"),
            TimeElapsedColumn(),
            console=self._console,
        )
        self._live = Live(
            get_renderable=self._shown,
            console=self._console,
            refresh_per_second=_REFRESHES_PER_SECOND,
            transient=True,
        )
        self._task = self._bar.add_task(printable(name), total=None, regions=_regions(0))

    def __enter__(self) -> "ParseProgress":
        if self._is_live:
            self._live.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._live.stop()

    def saw(self, event: ParseEvent) -> ParseEvent:
        """Takes note of an event and gives it back."""
        match event:
            case events.DocumentOpened():
                self._bar.update(self._task, total=event.selected_pages)
            case events.RegionPartial():
                if event.text.strip():
                    self._read(event)
            case events.RegionDone():
                self._regions += 1
                self._forget(event.page_number, event.block.region.id)
                self._bar.update(self._task, regions=_regions(self._regions))
            case events.PageDone():
                self._forget(event.page.number)
                self._bar.advance(self._task)
        return event

    def _forget(self, page: int, region: int | None = None) -> None:
        # A new dictionary each time, since another thread draws the old one.
        self._reading = {
            place: partial
            for place, partial in self._reading.items()
            if place[0] != page or region not in {None, place[1]}
        }

    def _read(self, event: RegionPartial) -> None:
        place = (event.page_number, event.region_id)
        if not self._is_live:
            sys.stderr.write(f"{printable(self._name)}: {partial_line(event, TAIL_CELLS)}\n")
            return
        self._forget(*place)  # so that the newest is last
        self._reading = {**self._reading, place: event}

    def _shown(self) -> RenderableType:
        width = self._console.width
        newest = sorted(
            list(self._reading.values())[-SHOWN_REGIONS:],
            key=lambda partial: (partial.page_number, partial.order),
        )
        lines = (Text(partial_line(partial, width), no_wrap=True, overflow="crop") for partial in newest)
        return Group(self._bar, *lines)


def _regions(count: int) -> str:
    return f"{count} region{'' if count == 1 else 's'}"


def partial_line(partial: RegionPartial, width: int) -> str:
    """Where a region is, and as much of its text's end as fits into a line of so many cells.

    Args:
        partial: its text so far; what a terminal would obey becomes question marks.
        width: in cells, of which Chinese characters take two.
    """
    head = f"page {partial.page_number}, region {partial.order}: "
    return head + tail(printable(partial.text[-_READ_AT_ONCE:]), width - cell_len(head))


def tail(text: str, width: int) -> str:
    """The end of a text that takes at most so many cells; an ellipsis stands for what is left out."""
    if cell_len(text) <= width:
        return text
    start, room = len(text), width - 1
    while start and (room := room - cell_len(text[start - 1])) >= 0:
        start -= 1
    return "…" + text[start:]
