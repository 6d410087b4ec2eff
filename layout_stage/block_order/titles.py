"""Lines that belong to a title: subtitles below or above it, and headings of several regions.

All items are in the frame of the title's own direction. Thresholds are those of paddlex 3.7.2
(`update_doc_title_child_blocks`, `update_paragraph_title_child_blocks`).
"""

from collections.abc import Sequence

from arcscribe.types import RegionKind
from layout_stage.block_order.intervals import covered_area, distance
from layout_stage.block_order.items import Item
from layout_stage.block_order.neighbours import above_and_below
from layout_stage.block_order.roles import Role

_LOWER = 0.8
"""A subtitle is at most as high as this share of its title."""
_WIDER = 1.5
"""And is shorter than its title, or longer than this many times its length."""
_FEWER_ROWS = 3
_SUBTITLE_GAP = 2.0
"""Rows of white between a title and its subtitle, at most."""
_INSIDE = 0.9
"""Of a text lies in a title that holds it."""
_HEADING_GAP = 1.5
"""Rows of white between two lines of a heading, at most."""
_SAME_START = 2.0
"""Rows by which the starts of a heading's lines may differ."""
_PLAIN = frozenset({RegionKind.TEXT, RegionKind.VERTICAL_TEXT})


def subtitles(title: Item, texts: Sequence[Item]) -> list[Item]:
    """The texts that belong to a document's title: the nearest above and below where they look it."""
    above, below = above_and_below(title, texts)
    found = [text for text in (*above[:1], *below[:1]) if _is_subtitle(text, title)]
    inside = [
        text
        for text in texts
        if text not in found
        and text.vertical == title.vertical
        and covered_area(text.box, title.box) > _INSIDE
    ]
    return [*found, *inside]


def _is_subtitle(text: Item, title: Item) -> bool:
    length, whole = text.box.width, title.box.width
    return (
        text.kind in _PLAIN
        and text.vertical == title.vertical
        and text.box.height < _LOWER * title.box.height
        and (length < whole or length > _WIDER * whole)
        and text.rows.count < _FEWER_ROWS
        and distance(text.box, title.box) < _SUBTITLE_GAP * text.rows.height
    )


def continued_headings(heading: Item, others: Sequence[Item]) -> list[Item]:
    """The headings that follow one without a text between them: the further lines of one heading."""
    _, below = above_and_below(heading, others)
    found = [heading]
    for other in below:
        if other.role is not Role.HEADING:
            break
        if _continues(other, found[-1]):
            found.append(other)
    return found[1:]


def _continues(lower: Item, upper: Item) -> bool:
    row = min(lower.rows.height, upper.rows.height)
    return (
        lower.vertical == upper.vertical
        and abs(lower.box.left - upper.box.left) < _SAME_START * row
        and distance(lower.box, upper.box) <= _HEADING_GAP * row
    )
