"""From the image of a table to its cells."""

import math
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

import structlog

from arcscribe.inference.model_files import existing
from arcscribe.types import RgbImage, TextLine
from vlm_stage.engines.pp_ocr.first_use import OnFirstUse
from vlm_stage.engines.pp_ocr.seal_ink import lift_seals
from vlm_stage.tables.choose import choose_structure
from vlm_stage.tables.columns import white_columns
from vlm_stage.tables.fill import assign
from vlm_stage.tables.rules import InkMask, Rules, find_ink, find_rules
from vlm_stage.tables.split_lines import inked_parts, split_at_columns, split_at_gaps, split_at_rules
from vlm_stage.tables.structure import Structure
from vlm_stage.tables.table import Table
from vlm_stage.tables.tilt import straighten

if TYPE_CHECKING:
    from vlm_stage.engines.pp_ocr.slanet import TableModel

_log = structlog.get_logger()

_DEFAULT_TEXT_HEIGHT = 24.0  # pixels, where a table has no text to measure

_RED_RULES = 1.5
"""How many times as long all rules are together as the black ones, where a table is ruled in red."""


class TableReader:
    """Finds the cells by ruling lines and alignment, and by a model that is loaded when it is first needed.

    Loading it with onnxruntime at the start would cost every process 0.2 s, and most tables are ruled.
    """

    def __init__(self, model: Path) -> None:
        """Raises ModelMissing if the model's file is not there."""
        path = existing(model)
        self._model = OnFirstUse(lambda: _load(path))

    def read(self, pixels: RgbImage, lines: Sequence[TextLine]) -> Table:
        """The cells of an image of shape (height, width, 3) with those lines, and what stands in each."""
        height = _text_height(lines)
        ink, rules = _ink_and_rules(pixels, lines, height)
        parts = split_at_gaps(split_at_rules(lines, rules.vertical), ink)
        parts = split_at_columns(parts, ink, white_columns(parts, ink, height))
        tight = [whole for part in parts for whole in inked_parts(part, ink, math.inf)]
        geometry = straighten(tight, rules, height)
        structure = choose_structure(geometry, lambda: self._ask_model(pixels))
        return Table(structure, parts, tuple(assign(structure, geometry.boxes)))

    def _ask_model(self, pixels: RgbImage) -> Structure | None:
        """The model's guess; None where it sees no cells, or breaks: a table is worth more than its spans."""
        model = self._model.get()
        try:
            return model.read(pixels)
        except Exception:
            height, width = pixels.shape[:2]
            _log.exception("table model failed", width=width, height=height)
            return None


def _ink_and_rules(pixels: RgbImage, lines: Sequence[TextLine], height: float) -> tuple[InkMask, Rules]:
    """The ink and ruling lines of a table without red seals over it; the rules may be red themselves."""
    ink = find_ink(pixels)
    rules = find_rules(ink, height)
    unsealed = lift_seals(pixels, lines)
    if unsealed is pixels:
        return ink, rules
    bare = find_ink(unsealed)
    black = find_rules(bare, height)
    return (bare, black) if rules.length <= _RED_RULES * black.length else (ink, rules)


def _load(path: Path) -> "TableModel":
    from vlm_stage.engines.pp_ocr.slanet import TableModel  # noqa: PLC0415

    return TableModel(path)


def _text_height(lines: Sequence[TextLine]) -> float:
    return median(min(line.box.width, line.box.height) for line in lines) if lines else _DEFAULT_TEXT_HEIGHT
