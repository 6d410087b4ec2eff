"""What kind of region each label of a layout model means: one table for all models."""

from collections.abc import Mapping
from functools import cache

import structlog

from arcscribe.types import RegionKind

_log = structlog.get_logger()

BLOCK = "Region"
"""PP-DocBlockLayout's only label: a part of the page that is read as a whole, such as an article."""

_KINDS: Mapping[str, RegionKind] = {
    **{kind.value: kind for kind in RegionKind},
    "reference_content": RegionKind.REFERENCE,
    "display_formula": RegionKind.FORMULA,
    "inline_formula": RegionKind.FORMULA,
    # A note below a picture or table is read there; a footnote would go to the page's end.
    "vision_footnote": RegionKind.TEXT,
    # layout_cdla's
    "title": RegionKind.PARAGRAPH_TITLE,
    "figure": RegionKind.IMAGE,
    "figure_caption": RegionKind.FIGURE_TITLE,
    "table_caption": RegionKind.TABLE_TITLE,
    "equation": RegionKind.FORMULA,
    # A block is no region; where it must be one, it is text.
    BLOCK: RegionKind.TEXT,
}


@cache
def kind_of(label: str) -> RegionKind:
    """The kind of a region with that label; text for an unknown one, which is logged once in a process."""
    kind = _KINDS.get(label)
    if kind is None:
        _log.warning("layout_label_unknown", label=label, taken_as=RegionKind.TEXT.value)
        return RegionKind.TEXT
    return kind
