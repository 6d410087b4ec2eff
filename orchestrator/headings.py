"""The levels of a document's titles, from their numbering first, then from the height of their lines."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from arcscribe.types import RegionKind
from orchestrator.flow import TITLE_KINDS, Placed, line_height
from orchestrator.numbering import Numbering, numbering_of

TOP_LEVEL = 2
"""Of a title that is not the document's."""
_DEEPEST = 6
_SAME_HEIGHT = 0.87  # one step of type, such as 14 to 12 points, is 0.86; two scans of a size differ by less


@dataclass(frozen=True, slots=True)
class _Title:
    key: tuple[int, int]
    numbering: Numbering | None
    height: float


def heading_levels(flow: Sequence[Placed]) -> dict[tuple[int, int], int]:
    """The level, 1 to 6, of each title in the flow, by page number and region id.

    Document titles have level 1, unless they are chapters and the like; other titles begin at 2. None is more
    than one level below the title before it.
    """
    titles = [placed for placed in flow if placed.kind in TITLE_KINDS and placed.text]
    levels: dict[tuple[int, int], int] = {}
    inner: list[_Title] = []
    for placed in titles:
        numbering = numbering_of(placed.text)
        if placed.kind is RegionKind.DOC_TITLE and not (numbering and numbering.is_worded):
            levels[placed.key] = 1
        else:
            inner.append(_Title(placed.key, numbering, _relative_height(placed)))
    nested = _levels_by_numbering(inner)
    nested |= _levels_by_height([title for title in inner if title.key not in nested], inner, nested)
    levels |= {title.key: nested[title.key] for title in inner}
    return _without_jumps({placed.key: levels[placed.key] for placed in titles})


def _relative_height(placed: Placed) -> float:
    """Line height as a share of the page's longer side: pages may be rendered at different resolutions."""
    return line_height(placed.block) / max(placed.page.width, placed.page.height, 1)


def _levels_by_numbering(titles: Sequence[_Title]) -> dict[tuple[int, int], int]:
    """Each numbered title stands below the last one before it whose style is further out."""
    open_styles: list[Numbering] = []
    levels = {}
    for title in titles:
        if title.numbering is not None:
            while open_styles and open_styles[-1] >= title.numbering:
                open_styles.pop()
            open_styles.append(title.numbering)
            levels[title.key] = TOP_LEVEL + len(open_styles) - 1
    return levels


def _levels_by_height(
    unnumbered: Sequence[_Title], titles: Sequence[_Title], known: dict[tuple[int, int], int]
) -> dict[tuple[int, int], int]:
    """Titles without a number: as deep as the numbered ones of their height, or else by classes of height."""
    if known:
        scale = _heights_of_levels(titles, known)
        return {title.key: _level_on(scale, title.height) for title in unnumbered}
    classes = _height_classes([title.height for title in unnumbered])
    return {
        title.key: TOP_LEVEL + sum(title.height < lowest for lowest in classes[:-1]) for title in unnumbered
    }


def _heights_of_levels(
    titles: Sequence[_Title], levels: dict[tuple[int, int], int]
) -> list[tuple[int, float]]:
    by_level: dict[int, list[float]] = {}
    for title in titles:
        if title.key in levels:
            by_level.setdefault(levels[title.key], []).append(title.height)
    return [(level, median(heights)) for level, heights in sorted(by_level.items())]


def _level_on(scale: Sequence[tuple[int, float]], height: float) -> int:
    """The outermost level whose titles are not clearly higher than this one."""
    return next((level for level, typical in scale if height >= typical * _SAME_HEIGHT), scale[-1][0] + 1)


def _height_classes(heights: Sequence[float]) -> list[float]:
    """The lowest height of each class, from the highest class; a clear step down begins a class."""
    classes: list[float] = []
    highest = 0.0
    for height in sorted(heights, reverse=True):
        if not classes or height < highest * _SAME_HEIGHT:
            classes.append(height)
            highest = height
        classes[-1] = height
    return classes


def _without_jumps(levels: dict[tuple[int, int], int]) -> dict[tuple[int, int], int]:
    smooth, before = {}, TOP_LEVEL - 1
    for key, level in levels.items():
        before = min(level, before + 1, _DEEPEST)
        smooth[key] = before
    return smooth
