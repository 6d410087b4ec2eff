from pathlib import Path

import cv2
import pytest
from structlog.testing import capture_logs

from arcscribe.errors import ModelMissing
from arcscribe.types import RgbImage
from tests.vlm_stage.tables.drawings import draw_rules, page, write
from vlm_stage.engines.pp_ocr import slanet
from vlm_stage.engines.pp_ocr.table_reader import TableReader
from vlm_stage.tables.structure import Cell, Structure

COLUMNS, ROWS = (20, 200, 380), (20, 60, 100, 140)


class BrokenModel:
    def __init__(self, _path: Path) -> None: ...

    def read(self, _pixels: RgbImage) -> Structure | None:
        raise RuntimeError("the loop fell over")


@pytest.fixture
def reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TableReader:
    monkeypatch.setattr(slanet, "TableModel", BrokenModel)
    model = tmp_path / "slanet.onnx"
    model.touch()
    return TableReader(model)


def test_a_model_that_breaks_leaves_a_table_of_rows_and_columns_and_a_log_line(reader: TableReader) -> None:
    image = page()
    lines = [write(image, x, y) for y in ROWS for x in COLUMNS]
    with capture_logs() as logs:
        table = reader.read(image, lines)
    assert list(table.cells) == [Cell(row, column) for row in range(4) for column in range(3)]
    assert [(entry["event"], entry["log_level"]) for entry in logs] == [("table model failed", "error")]


def test_a_table_that_rules_draw_asks_no_model(reader: TableReader) -> None:
    image = page()
    edges = (10, 190, 370, 480)
    draw_rules(image, [(10, y, 480, y) for y in (10, 50, 90)] + [(x, 10, x, 90) for x in edges])
    lines = [write(image, x, y) for y in ROWS[:2] for x in COLUMNS]
    with capture_logs() as logs:
        table = reader.read(image, lines)
    assert list(table.cells) == [Cell(row, column) for row in range(2) for column in range(3)]
    assert logs == []


def test_a_red_seal_over_a_ruled_table_changes_no_cell(reader: TableReader) -> None:
    image = page()
    edges = (10, 190, 370, 480)
    draw_rules(image, [(10, y, 480, y) for y in (10, 50, 90)] + [(x, 10, x, 90) for x in edges])
    lines = [write(image, x, y) for y in ROWS[:2] for x in COLUMNS]
    sealed = image.copy()
    for radius in (30, 60, 90):
        cv2.ellipse(sealed, (280, 50), (radius, 38), 0, 0, 360, (205, 40, 45), 8)
    sealed[image[:, :, 0] < 128] = image[image[:, :, 0] < 128]
    assert list(reader.read(sealed, lines).cells) == list(reader.read(image, lines).cells)


def test_a_table_ruled_in_red_keeps_its_rules(reader: TableReader) -> None:
    image = page()
    edges = (10, 190, 370, 480)
    draw_rules(image, [(10, y, 480, y) for y in (10, 50, 90)] + [(x, 10, x, 90) for x in edges])
    image[image[:, :, 0] < 128] = (205, 40, 45)
    lines = [write(image, x, y) for y in ROWS[:2] for x in COLUMNS]
    assert list(reader.read(image, lines).cells) == [
        Cell(row, column) for row in range(2) for column in range(3)
    ]


def test_lines_that_the_detector_joined_over_columns_stand_in_their_cells(reader: TableReader) -> None:
    image = page()
    lines = []
    for y in ROWS:
        first, _, last = (write(image, x, y) for x in COLUMNS)
        lines.append(type(first)(first.box.union(last.box), first.box.union(last.box).to_polygon(), 1.0))
    table = reader.read(image, lines)
    assert list(table.cells) == [Cell(row, column) for row in range(4) for column in range(3)]
    assert len(table.lines) == 12


def test_a_missing_model_is_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing):
        TableReader(tmp_path / "none.onnx")
