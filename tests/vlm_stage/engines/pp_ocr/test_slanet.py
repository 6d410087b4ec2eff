"""SLANet's input, and the real network on a drawn table."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcscribe.errors import ModelMissing
from tests.vlm_stage.tables.drawings import draw_rules, page, write
from vlm_stage.engines.pp_ocr.slanet import TableModel, table_input
from vlm_stage.tables.fill import assign
from vlm_stage.tables.structure import Cell


@settings(deadline=None, max_examples=30)
@given(st.integers(1, 700), st.integers(1, 700))
def test_a_table_fills_the_top_left_of_a_square_and_the_rest_is_nought(height: int, width: int) -> None:
    square = table_input(np.full((height, width, 3), 255, np.uint8))
    assert square.shape == (1, 3, 488, 488)
    filled = square[0, 0] > 0
    rows, columns = int(filled[:, 0].sum()), int(filled[0].sum())
    assert max(rows, columns) in (487, 488)
    assert filled.sum() == rows * columns
    assert rows / columns == pytest.approx(height / width, rel=1 / min(rows, columns))


def test_the_real_network_sees_the_rows_and_columns_of_a_ruled_table(model_root: Path) -> None:
    image = page(width=460, height=200)
    draw_rules(image, [(10, y, 450, y) for y in (10, 55, 100, 145, 190)])
    draw_rules(image, [(x, 10, x, 190) for x in (10, 150, 300, 450)])
    lines = [write(image, x, y, 80) for y in (22, 67, 112, 157) for x in (40, 185, 335)]
    structure = TableModel(model_root / "slanet-plus" / "slanet-plus.onnx").read(image)
    assert structure is not None
    cells = assign(structure, [line.box for line in lines])
    assert cells == [Cell(row, column) for row in range(4) for column in range(3)]


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing):
        TableModel(tmp_path / "none.onnx")
