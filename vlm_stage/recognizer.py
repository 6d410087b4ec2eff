"""What becomes of a crop, by its kind, once its lines are read."""

from collections.abc import Sequence
from dataclasses import dataclass

from arcscribe.types import Crop, RegionKind, TextFormat
from vlm_stage.postprocess.join_lines import join_lines, join_title
from vlm_stage.reading import ReadLine
from vlm_stage.tables.table import Table, write_table

MIN_CONFIDENCE = 0.5
"""Lines read with less are noise and left out, which lowers the confidence; rapidocr's `text_score`.

Not so in tables: what stands in a cell is text, and a cell must not become empty without a trace.
"""

MAX_ALTERNATIVE = 400
"""Characters of the alternative text of a picture: it is there to be searched, not to be read."""

_UNREAD = frozenset({RegionKind.HEADER_IMAGE, RegionKind.FOOTER_IMAGE})
_PICTURES = _UNREAD | {RegionKind.IMAGE, RegionKind.CHART}
_KEPT_AS_PICTURE = _PICTURES | {RegionKind.SEAL, RegionKind.FORMULA}
TITLES = frozenset(
    {
        RegionKind.DOC_TITLE,
        RegionKind.PARAGRAPH_TITLE,
        RegionKind.FIGURE_TITLE,
        RegionKind.TABLE_TITLE,
        RegionKind.CHART_TITLE,
    }
)


@dataclass(frozen=True, slots=True)
class Content:
    """What a region says. `confidence` is None where nothing was read."""

    text: str
    format: TextFormat
    confidence: float | None


def is_read(crop: Crop) -> bool:
    """Whether the crop's lines are to be read: not in logos, and in pictures only those that came with it."""
    if crop.kind in _UNREAD:
        return False
    return crop.kind not in _PICTURES or bool(crop.lines)


def compose(crop: Crop, lines: Sequence[ReadLine], table: Table | None = None) -> Content:
    """The region's content from its lines, in the crop's order, and its cells where it is a table."""
    if table:
        return Content(write_table(table, lines), TextFormat.HTML, mean_confidence(lines, least=0.0))
    kept = [line for line in lines if line.confidence >= MIN_CONFIDENCE and line.text.strip()]
    confidence = mean_confidence(lines)
    if crop.kind is RegionKind.SEAL:
        # The name runs round what else a seal says, so that places do not tell the order.
        return Content(shortened(" ".join(line.text for line in kept)), TextFormat.NONE, confidence)
    if crop.kind in _KEPT_AS_PICTURE:
        return Content(shortened(join_title(kept)), TextFormat.NONE, confidence)
    join = join_title if crop.kind in TITLES else join_lines
    return Content(join(kept), TextFormat.PLAIN, confidence)


def mean_confidence(lines: Sequence[ReadLine], least: float = MIN_CONFIDENCE) -> float | None:
    """The mean over the characters; None without lines.

    Those of lines read with less than `least`, which are left out, count 0, an empty line as one character.
    """
    if not lines:
        return None
    characters = sum(max(1, len(line.text)) for line in lines)
    sure = sum(len(line.text) * line.confidence for line in lines if line.confidence >= least)
    return sure / characters


def shortened(text: str) -> str:
    """An alternative text of at most `MAX_ALTERNATIVE` characters."""
    return text if len(text) <= MAX_ALTERNATIVE else text[: MAX_ALTERNATIVE - 1] + "…"
