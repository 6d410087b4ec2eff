"""Displayed formulas and their numbers."""

from collections.abc import Sequence

from arcscribe.types import Box, RegionKind, TextLine, enclosing_box
from layout_stage.cdla_boxes import LayoutBox
from layout_stage.parts import Part, box_of, characters, overlap, share_row, thickness

_LABEL = "equation"
_MIN_SCORE = 0.45
_INSIDE, _WELL_INSIDE = 0.5, 0.8
"""Of a line, that lies in a formula's box; the second where the line alone would be taken for text."""
_FILLED = 0.5
"""How far, as intersection over union, a formula fills the box in which the network sees it."""
_MAX_ROW_HEIGHT = 2.2
"""Heights of text for each row of a formula; a box with more was laid over several."""
_NUMBER_CHARACTERS, _NUMBER_HEIGHT = 4.0, 1.6
"""How many square characters a formula's number has at most, and how many heights of text."""
_INDENT, _FLUSH = 1.2, 0.5
"""Heights of text between the edge of the text and a formula, at least, and a line of text, at most."""
_NUMBER_GAP, _AT_EDGE = 0.5, 1.5
"""Heights of text between a formula and its number, at least, and between that and the edge, at most."""
_NEAREST = 12
"""How many lines of running text say where its edges are."""


def find_formulas(
    lines: Sequence[TextLine], prose: frozenset[TextLine], boxes: Sequence[LayoutBox], em: float
) -> list[Part]:
    """The formulas of a page, each with the lines it is written in, and the numbers at the margin beside
    them.

    A formula is what the network takes for one, if none of its lines is running text and all stand apart from
    the text's edge or beside each other. On a page where the network sees one, an indented line with a number
    at the right margin is one too.
    """
    seen = [b for b in boxes if b.label == _LABEL and b.score >= _MIN_SCORE]
    if not seen:
        return []
    column = _Column.of(lines, prose)
    running = [b.box for b in boxes if b.label in ("header", "footer")]
    rest = [
        line
        for line in lines
        if not line.vertical and not any(line.box.coverage_by(box) > _INSIDE for box in running)
    ]
    parts: list[Part] = []
    for candidate in seen:
        held = [line for line in rest if line.box.coverage_by(candidate.box) >= _INSIDE]
        if held and _is_one_formula(held, candidate, prose, column, em):
            parts.append(_formula(held, candidate.score))
            rest = [line for line in rest if line not in held]
    rest = [line for line in rest if line not in prose or any(_is_seen(line, box) for box in seen)]
    for line in list(rest):
        if line in rest and column.is_indented(line, em) and _numbers_beside(line.box, rest, column, em):
            parts.append(_formula([line], seen[-1].score))
            rest.remove(line)
    return [*parts, *_numbers(parts, rest, column, em)]


def _is_seen(line: TextLine, box: LayoutBox) -> bool:
    return line.box.coverage_by(box.box) >= _WELL_INSIDE


class _Column:
    """The edges of the running text round a formula."""

    def __init__(self, prose: Sequence[Box]) -> None:
        self._prose = prose

    @classmethod
    def of(cls, lines: Sequence[TextLine], prose: frozenset[TextLine]) -> "_Column":
        return cls([line.box for line in lines if line in prose and not line.vertical])

    def edges(self, box: Box) -> tuple[float, float] | None:
        """Left and right of the running text that stands above and below a box."""
        near = [b for b in self._prose if overlap(b.left, b.right, box.left, box.right) > 0]
        if not near:
            return None
        nearest = sorted(near, key=lambda b: abs(b.center[1] - box.center[1]))[:_NEAREST]
        return min(b.left for b in nearest), max(b.right for b in nearest)

    def is_indented(self, line: TextLine, em: float) -> bool:
        """Whether a line begins further in than the text round it."""
        edges = self.edges(line.box)
        return edges is not None and line.box.left >= edges[0] + _INDENT * em

    def is_at_right(self, box: Box, em: float) -> bool:
        """Whether a box ends where the text round it does, or there is none."""
        edges = self.edges(box)
        return edges is None or abs(box.right - edges[1]) <= _AT_EDGE * em


def _is_one_formula(
    held: Sequence[TextLine], seen: LayoutBox, prose: frozenset[TextLine], column: _Column, em: float
) -> bool:
    """Whether a box is filled by its lines, rather than laid over several paragraphs and formulas."""
    whole = box_of(held)
    edges = column.edges(whole)
    flush = [line for line in held if edges is not None and line.box.left < edges[0] + _FLUSH * em]
    text = len(flush) > 1 or any(line in prose for line in flush)
    apart = whole.height > _MAX_ROW_HEIGHT * em * _rows(held)
    return whole.iou(seen.box) >= _FILLED and not text and not apart


def _rows(lines: Sequence[TextLine]) -> int:
    rows: list[Box] = []
    for line in lines:
        if not any(share_row(line.box, row, 0.3) for row in rows):
            rows.append(line.box)
    return len(rows)


def _formula(lines: Sequence[TextLine], score: float) -> Part:
    ordered = tuple(sorted(lines, key=lambda line: (line.box.left, line.box.top)))
    return Part.of(RegionKind.FORMULA, _LABEL, score, enclosing_box(line.box for line in ordered), ordered)


def _is_number(line: TextLine, formula: Box, column: _Column, em: float) -> bool:
    return (
        characters(line) <= _NUMBER_CHARACTERS
        and thickness(line) <= _NUMBER_HEIGHT * em
        and share_row(line.box, formula, 0.5)
        and line.box.left > formula.right + _NUMBER_GAP * em
        and column.is_at_right(line.box, em)
    )


def _numbers_beside(formula: Box, lines: Sequence[TextLine], column: _Column, em: float) -> bool:
    return any(_is_number(line, formula, column, em) for line in lines)


def _numbers(formulas: Sequence[Part], lines: Sequence[TextLine], column: _Column, em: float) -> list[Part]:
    return [
        Part.of(RegionKind.FORMULA_NUMBER, "", 0.0, line.box, (line,))
        for line in lines
        if any(_is_number(line, formula.box, column, em) for formula in formulas)
    ]
