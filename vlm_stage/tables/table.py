"""A table whose lines know their cells."""

from collections.abc import Sequence
from dataclasses import dataclass

from arcscribe.types import TextLine
from vlm_stage.postprocess.join_lines import join_cell
from vlm_stage.reading import ReadLine
from vlm_stage.tables.html import to_html
from vlm_stage.tables.structure import Cell, Structure


@dataclass(frozen=True, slots=True)
class Table:
    """A structure, and the lines of text that stand in it, each with its cell."""

    structure: Structure
    lines: tuple[TextLine, ...]
    cells: tuple[Cell, ...]


def write_table(table: Table, lines: Sequence[ReadLine]) -> str:
    """The table as HTML; `lines` are its lines, in their order; empty texts are left out."""
    inside: dict[Cell, list[ReadLine]] = {}
    for cell, line in zip(table.cells, lines, strict=True):
        inside.setdefault(cell, []).append(line)
    return to_html(table.structure, {cell: join_cell(held) for cell, held in inside.items()})
