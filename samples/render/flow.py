"""Sets a run of titles and paragraphs through columns, splitting paragraphs where a column ends."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from arcscribe.types import RegionKind
from samples.render.sheet import Sheet, Style
from samples.render.typeset import Line, break_lines


@dataclass(frozen=True, slots=True)
class Column:
    """Where text may be set, in pixels of the page."""

    left: float
    right: float
    top: float
    bottom: float


@dataclass(frozen=True, slots=True)
class Passage:
    """A title or a paragraph, with the pixels of white before it."""

    kind: RegionKind
    text: str
    style: Style
    before: float = 0.0


@dataclass(frozen=True, slots=True)
class Insert:
    """A figure in the run of text: `draw(sheet, column, top)` draws it and returns the y just below it."""

    height: float
    draw: Callable[[Sheet, Column, float], float]


def text_of(lines: Sequence[Line]) -> str:
    """What lines of words separated by spaces say, words cut at a line's end made whole."""
    parts = []
    for line in lines:
        words = " ".join(word for _, word in line.placed)
        parts.append(words[:-1] if line.cut else words + " ")
    return "".join(parts).rstrip()


def lines_that_fit(lines: list[Line], room: float, style: Style) -> int:
    """How many lines of a paragraph to set in `room` pixels: no single line alone, no cut inside a word."""
    count = int(room // style.line_height)
    if count >= len(lines):
        return len(lines)
    count = min(count, len(lines) - 2)
    while count > 0 and lines[count - 1].cut:
        count -= 1
    return count if count > 1 else 0


def flow(sheet: Sheet, run: Sequence[Passage | Insert], columns: Sequence[Column]) -> float:
    """Sets the run in the columns, in order; returns the y at which it ends.

    Raises:
        ValueError: the columns are too small for the run.
    """
    ahead, at = list(columns), columns[0].top
    for index, part in enumerate(run):
        match part:
            case Insert():
                if at + part.height > ahead[0].bottom:
                    ahead, at = next_column(ahead)
                at = part.draw(sheet, ahead[0], at)
            case Passage():
                is_title = part.kind is RegionKind.PARAGRAPH_TITLE
                need = (3 if is_title and index + 1 < len(run) else 1) * part.style.line_height
                if at + part.before + need > ahead[0].bottom:
                    ahead, at = next_column(ahead)
                ahead, at = set_passage(sheet, part, ahead, at + (part.before if at > ahead[0].top else 0.0))
    return at


def next_column(columns: list[Column]) -> tuple[list[Column], float]:
    if len(columns) < 2:
        raise ValueError("the text is longer than its columns")
    return columns[1:], columns[1].top


def set_passage(sheet: Sheet, part: Passage, columns: list[Column], top: float) -> tuple[list[Column], float]:
    """Sets one passage, going on in the next column where it must; returns the columns left and the y."""
    column, style = columns[0], part.style
    lines = break_lines(
        part.text,
        style.font,
        column.right - column.left,
        indent=style.indent * style.font.size,
        justify=style.align == "justify",
        hyphenate=style.hyphenate,
    )
    count = lines_that_fit(lines, column.bottom - top, style)
    head = text_of(lines[:count])
    if count == len(lines):
        return columns, sheet.paragraph(part.kind, part.text, style, column.left, column.right, top)
    if count:
        box = sheet.set_lines(lines[:count], style, column.left, column.right, top)
        sheet.record(part.kind, box, head)
    rest = part.text[len(head) :].lstrip()
    columns, top = next_column(columns)
    going_on = replace(part, text=rest, style=replace(style, indent=0.0 if count else style.indent))
    return set_passage(sheet, going_on, columns, top)
