"""The structure of a table: of several guesses, the one that explains its text best."""

from collections.abc import Callable

from vlm_stage.tables.alignment import find_alignment
from vlm_stage.tables.fit import misfit
from vlm_stage.tables.lattice import find_lattice
from vlm_stage.tables.outer_rows import with_outer_rows
from vlm_stage.tables.snap import snap_to_text
from vlm_stage.tables.structure import Cell, Structure
from vlm_stage.tables.tilt import TableGeometry

_GOOD = 0.1
"""A lattice of ruling lines with no more misfit is taken at once: lines are meant, and models guess."""

_MIN_GAPS = (0.32, 0.9)
"""Text heights between columns. A narrow gap may lie between two words, a wide one misses close columns."""


def choose_structure(table: TableGeometry, ask_model: Callable[[], Structure | None]) -> Structure:
    """A structure in which every text of the table has a cell.

    Ruling lines come first. Without them, a structure model sees spans that alignment does not, but drifts on
    long tables and misses columns that the text shows: the least misfit wins, and the model where they agree.
    """
    lattice = _lattice(table)
    if lattice and _misfit(lattice, table) <= _GOOD:
        return lattice
    guess = ask_model()
    model = snap_to_text(guess, table.boxes) if guess else None
    aligned = (find_alignment(table, gap, wrapped) for gap in _MIN_GAPS for wrapped in (False, True))
    every = (lattice, _lattice(table, split_rows=True), model, *aligned)
    guesses = [structure for structure in every if structure]
    if not guesses:
        return Structure((0.0, 1.0), (0.0, 1.0), (Cell(0, 0),))
    return min(guesses, key=lambda structure: _misfit(structure, table))


def _lattice(table: TableGeometry, split_rows: bool = False) -> Structure | None:
    drawn = find_lattice(table, split_rows)
    return with_outer_rows(drawn, table.boxes) if drawn else None


def _misfit(structure: Structure, table: TableGeometry) -> float:
    return misfit(structure, table.boxes, table.text_height)
