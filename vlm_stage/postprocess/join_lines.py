"""The lines of a region joined into running text: a line for each paragraph, item or line meant as one."""

from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from vlm_stage.postprocess.glue import glue
from vlm_stage.postprocess.rows import Row, rows_of
from vlm_stage.postprocess.scripts import ends_sentence, is_wide, starts_item, starts_label, width_units
from vlm_stage.reading import ReadLine

_LINE, _PARAGRAPH = "\n", "\n\n"

_WIDE_GAP = 1.7  # median pitches between rows that a paragraph does not have inside
_INDENT = 1.2  # line heights
_OTHER_SIZE = 1.5  # ratio of line heights of texts that are not one paragraph


def join_lines(lines: Sequence[ReadLine]) -> str:
    r"""Running text: `\n` where a line was meant to end, `\n\n` between paragraphs.

    A line was meant to end where the next line's first word would have fitted on it, before an item or a
    label like the one before, before an indent, and before a wider gap.
    """
    rows = rows_of(lines)
    whole = " ".join(row.text for row in rows)
    pitch = _pitch(rows)
    text = ""
    for index, row in enumerate(rows):
        mark = _break(rows, index, pitch) if index else ""
        text = text + mark + row.text if mark else glue(text, row.text, whole)
    return text


def join_title(lines: Sequence[ReadLine]) -> str:
    """The lines of a title or caption as one: it is often centred, so that line ends mean nothing."""
    rows = rows_of(lines)
    whole = " ".join(row.text for row in rows)
    text = ""
    for row in rows:
        text = glue(text, row.text, whole)
    return text


def join_cell(lines: Sequence[ReadLine]) -> str:
    r"""The lines of a table's cell as one; `\n` before bullets and ordinal numbers of a list in it."""
    rows = rows_of(lines)
    whole = " ".join(row.text for row in rows)
    is_list = sum(starts_item(row.text) for row in rows) > 1
    text = ""
    for row in rows:
        starts_line = bool(text) and is_list and starts_item(row.text)
        text = f"{text}\n{row.text}" if starts_line else glue(text, row.text, whole)
    return text


def _pitch(rows: Sequence[Row]) -> float:
    steps = [after.position - before.position for before, after in pairwise(rows)]
    return float(median(steps)) if steps else 0.0


def _break(rows: Sequence[Row], index: int, pitch: float) -> str:
    """What parts a row from the one before it; empty where the text runs on."""
    before, row = rows[index - 1], rows[index]
    if _is_apart(before, row, pitch):
        return _PARAGRAPH
    short = _ends_early(rows, before, row)
    if _starts_another(rows[:index], row) or (
        starts_item(row.text) and (short or ends_sentence(before.text))
    ):
        return _LINE
    indented = _is_indented(rows, index)
    if short or indented:
        return _PARAGRAPH if indented and ends_sentence(before.text) else _LINE
    return ""


def _starts_another(above: Sequence[Row], row: Row) -> bool:
    """Whether a row begins as one above it does, with an item's mark or with a label (`住所：`)."""
    aligned = [other for other in above if abs(other.start - row.start) < row.thickness]
    return any(
        starts(row.text) and any(starts(other.text) for other in aligned)
        for starts in (starts_item, starts_label)
    )


def _is_apart(before: Row, row: Row, pitch: float) -> bool:
    thin, thick = sorted((before.thickness, row.thickness))
    step = row.position - before.position
    return step > max(_WIDE_GAP * pitch, 2 * thin) or (thick > _OTHER_SIZE * thin and step > thick)


def _ends_early(rows: Sequence[Row], before: Row, row: Row) -> bool:
    """Whether the first word of the row would have fitted on the row before, with room to spare."""
    room = max(other.end for other in rows) - before.end
    return room > _first_word_width(row) + 0.5 * before.thickness


def _first_word_width(row: Row) -> float:
    unit = (row.end - row.start) / max(1, width_units(row.text))
    if is_wide(row.text[0]):
        return 4 * unit  # a character, and a mark that may not begin a line
    return (width_units(row.text.split(maxsplit=1)[0]) + 1) * unit


def _is_indented(rows: Sequence[Row], index: int) -> bool:
    """Whether a row begins further in than the rows round it, and is not the second line of an item."""
    before, row = rows[index - 1], rows[index]
    indent = _INDENT * row.thickness
    if starts_item(before.text) or row.start - before.start < indent:
        return False
    if index + 1 < len(rows):
        return row.start - rows[index + 1].start >= indent
    return row.start - min(other.start for other in rows) >= indent
