"""Where the pictures and charts of a page are, and which text belongs to them."""

from collections.abc import Sequence

import cv2
import numpy as np

from arcscribe.types import Box, RegionKind, TextLine, enclosing_box
from layout_stage.cdla_boxes import LayoutBox
from layout_stage.fusion.prose import prose_share
from layout_stage.ink import Ink
from layout_stage.parts import Part, characters, length, share_row

_LABEL = "figure"
_MIN_SCORE = 0.3
_MAX_PROSE, _MAX_TEXT = 0.4, 0.45
"""Of a figure's text, by length, that runs on, and of its area, that text takes: more is text on a ground."""
_SENTENCES, _SENTENCE_CHARACTERS = 4, 8.0
"""How many lines of how many square characters or more no legend has."""
_MIN_INK, _PHOTO_INK = 0.015, 0.3
"""Of a box, that is inked in any picture, and in a photograph."""
_JOINED = 0.6
"""How far apart, in heights of text, strokes of one drawing stand."""
_MIN_SIDE, _MIN_AREA = 3.5, 0.008
"""Heights of text, and of the page's area, below which a drawing is a mark in the text."""
_MAX_COMMON = 0.1
"""Of a drawing, that may lie in what is known already."""
_WORD_CHARACTERS, _AXIS_CHARACTERS = 8.0, 4.0
"""The most square characters of a word in a drawing, and of a number at its edge."""
_LABEL_REACH = 1.5
"""Heights of text between a drawing and what names its axes."""
_CHART_WORDS = 4
"""A picture with so many words is a chart."""
_INSIDE, _NEAR = 0.5, 0.8
"""Of a line, that lies in a drawing, and in its surroundings."""


def find_pictures(
    lines: Sequence[TextLine], prose: frozenset[TextLine], boxes: Sequence[LayoutBox], ink: Ink
) -> list[Part]:
    """What the network takes for a figure and is one: it holds ink that is no text, and no running text."""
    parts: list[Part] = []
    bare = ink.without(line.polygon for line in lines)
    for seen in boxes:
        if seen.label != _LABEL or seen.score < _MIN_SCORE:
            continue
        if any(seen.box.coverage_by(p.box) > 0.5 or p.box.coverage_by(seen.box) > 0.5 for p in parts):
            continue
        held = [line for line in lines if line.box.coverage_by(seen.box) >= 0.6]
        if _is_text(held, prose, seen.box):
            continue
        drawn = ink_box(bare, seen.box)
        if drawn is None:
            continue
        parts.append(_picture(seen, held, drawn, bare))
    return parts


def find_drawings(
    lines: Sequence[TextLine], prose: frozenset[TextLine], taken: Sequence[Box], ink: Ink, em: float
) -> list[Part]:
    """Pictures that the network did not see: large connected ink that is no text, with few and short words at
    most.

    Args:
        lines: the page's lines that belong to nothing else yet.
        prose: those that are running text.
        taken: tables, seals and pictures that are known.
        ink: the page's ink.
        em: the height of its text in pixels.
    """
    bare = ink.without(line.polygon for line in lines)
    reach = max(3, round(_JOINED * em * ink.scale))
    joined = cv2.morphologyEx(bare.mask, cv2.MORPH_CLOSE, np.ones((reach, reach), np.uint8))
    _, _, stats, _ = cv2.connectedComponentsWithStats(np.asarray(joined, np.uint8), connectivity=8)
    page = bare.to_page(0, 0, bare.mask.shape[1], bare.mask.shape[0])
    parts: list[Part] = []
    for x, y, width, height, _ in sorted(stats[1:].tolist(), key=lambda s: -s[2] * s[3]):
        box = bare.to_page(x, y, width, height)
        large = min(box.width, box.height) >= _MIN_SIDE * em and box.area >= _MIN_AREA * page.area
        known = [*taken, *(part.box for part in parts)]
        if not large or any(box.intersection(other).area > _MAX_COMMON * box.area for other in known):
            continue
        if ink_box(bare, box) is None:
            continue
        held = _words_round(lines, box, em)
        if all(line not in prose and characters(line) <= _WORD_CHARACTERS for line in held):
            lines = [line for line in lines if line not in held]
            whole = enclosing_box([box, *(line.box for line in held)])
            kind = RegionKind.CHART if len(held) >= _CHART_WORDS else RegionKind.IMAGE
            parts.append(Part.of(kind, "", 0.0, whole, held))
    return parts


def _words_round(lines: Sequence[TextLine], box: Box, em: float) -> list[TextLine]:
    """The lines inside a drawing, and the short ones at its edge, which name its axes."""
    near = box.expanded(_LABEL_REACH * em)
    return [
        line
        for line in lines
        if line.box.coverage_by(box) >= _INSIDE
        or (
            line.box.coverage_by(near) >= _NEAR
            and (characters(line) <= _AXIS_CHARACTERS or _has_row_mate(line, lines, near))
        )
    ]


def _has_row_mate(line: TextLine, lines: Sequence[TextLine], area: Box) -> bool:
    """Whether another short piece stands beside a short one, as in a legend and unlike in a caption."""
    return characters(line) <= _WORD_CHARACTERS and any(
        other is not line
        and characters(other) <= _WORD_CHARACTERS
        and share_row(other.box, line.box)
        and other.box.coverage_by(area) >= _NEAR
        for other in lines
    )


def ink_box(ink: Ink, box: Box) -> Box | None:
    """The extent of the ink in a box; None where there is too little to be a picture."""
    part = ink.part(box)
    if part.size == 0 or np.count_nonzero(part) < _MIN_INK * part.size:
        return None
    rows, columns = np.flatnonzero(part.any(axis=1)), np.flatnonzero(part.any(axis=0))
    extent = ink.to_page(columns[0], rows[0], columns[-1] - columns[0] + 1, rows[-1] - rows[0] + 1)
    return extent.shifted(max(0.0, box.left), max(0.0, box.top))


def _is_text(held: Sequence[TextLine], prose: frozenset[TextLine], box: Box) -> bool:
    """Whether a figure is the ground that text stands on: prose, or lines longer than a legend's."""
    area = sum(line.box.area for line in held)
    long = [line for line in held if characters(line) >= _SENTENCE_CHARACTERS]
    sentences = len(long) >= _SENTENCES and sum(map(length, long)) > 0.5 * sum(map(length, held))
    return sentences or prose_share(held, prose) > _MAX_PROSE or area > _MAX_TEXT * box.area


def _picture(seen: LayoutBox, held: Sequence[TextLine], drawn: Box, bare: Ink) -> Part:
    """A photograph ends where its ink ends, and leaves its caption out; a chart keeps the words round it."""
    part = bare.part(drawn)
    is_photo = np.count_nonzero(part) >= _PHOTO_INK * part.size
    inside = [line for line in held if not is_photo or line.box.coverage_by(drawn) >= _INSIDE]
    box = drawn if is_photo else enclosing_box([drawn, seen.box])
    box = enclosing_box([box, *(line.box for line in inside)])
    kind = RegionKind.CHART if not is_photo and len(inside) >= _CHART_WORDS else RegionKind.IMAGE
    return Part.of(kind, _LABEL, seen.score, box, tuple(inside))
