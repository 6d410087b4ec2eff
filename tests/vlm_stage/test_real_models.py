"""The engines with their models, on lines that are drawn here and read by rapidocr as well."""

import queue
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest

from arcscribe.inference.openvino import OpenVinoSettings
from arcscribe.types import Crop, RegionKind, RegionText, RgbImage, TextLine
from tests.vlm_stage.builders import text_line
from tests.vlm_stage.tables.drawings import draw_rules
from vlm_stage.engines.engine import Engine, EngineOutput
from vlm_stage.engines.load import PP_OCR, load_engine
from vlm_stage.engines.pp_ocr.line_images import scale_line
from vlm_stage.engines.pp_ocr.line_recognizer import LineRecognizer, RecognizerPaths
from vlm_stage.settings import VlmSettings

WORDS = (
    "Contract No. 2025-0318",
    "Total: 1,346,000.00",
    "a",
    "x = 3.5 mm",
    "The quick brown fox jumps over it",
)
SETTINGS = OpenVinoSettings(threads=2)


def drawn_line(text: str) -> RgbImage:
    (width, height), below = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, 1.0, 2)
    image = np.full((height + below + 16, width + 20, 3), 255, np.uint8)
    cv2.putText(image, text, (10, height + 8), cv2.FONT_HERSHEY_SIMPLEX, 1.0, (0, 0, 0), 2, cv2.LINE_AA)
    return image


@pytest.fixture(scope="module")
def engine(model_root: Path) -> Iterator[Engine]:
    engine = load_engine(VlmSettings(openvino=SETTINGS), model_root)
    engine.warm_up()
    yield engine
    engine.close(grace_seconds=5)


def read(engine: Engine, crop: Crop) -> RegionText:
    results: queue.Queue[EngineOutput] = queue.Queue()
    engine.submit(crop, results.put)
    result = results.get(timeout=60)
    assert isinstance(result, RegionText), result
    return result


def test_lines_are_read_as_rapidocr_reads_them(model_root: Path) -> None:
    from rapidocr import EngineType, RapidOCR  # noqa: PLC0415  # half a second, for this test alone
    from rapidocr.ch_ppocr_rec import TextRecOutput  # noqa: PLC0415

    ours = LineRecognizer(RecognizerPaths(model_root / PP_OCR["pp-ocrv6"].recognizer), SETTINGS, 2).reader()
    theirs = RapidOCR(params={"Rec.engine_type": EngineType.OPENVINO, "Global.log_level": "error"})
    for text in WORDS:
        image = drawn_line(text)
        expected = theirs(image[:, :, ::-1], use_det=False, use_cls=False, use_rec=True)
        assert isinstance(expected, TextRecOutput)
        assert expected.txts
        assert expected.scores
        (reading,) = ours.read([scale_line(image)])
        assert reading.text == expected.txts[0]
        assert reading.confidence == pytest.approx(expected.scores[0], abs=0.05)


def test_a_batch_reads_like_line_by_line(model_root: Path) -> None:
    reader = LineRecognizer(RecognizerPaths(model_root / PP_OCR["pp-ocrv6"].recognizer), SETTINGS, 2).reader()
    images = [scale_line(drawn_line(text)) for text in WORDS]
    assert [reading.text for reading in reader.read(images)] == [
        reader.read([image])[0].text for image in images
    ]


def test_a_region_whose_lines_are_unknown_is_read_all_the_same(engine: Engine) -> None:
    page = np.full((160, 700, 3), 255, np.uint8)
    for top, text in ((20, WORDS[0]), (90, WORDS[1])):
        line = drawn_line(text)
        page[top : top + line.shape[0], 30 : 30 + line.shape[1]] = line
    result = read(engine, Crop(0, RegionKind.TEXT, page))
    assert result.text == f"{WORDS[0]} {WORDS[1]}"
    assert result.confidence is not None
    assert result.confidence > 0.9


def test_a_lone_digit_that_no_detector_finds_is_read(engine: Engine) -> None:
    assert read(engine, Crop(0, RegionKind.NUMBER, drawn_line("7"))).text == "7"


def test_a_ruled_table_is_read_into_its_cells(engine: Engine) -> None:
    page = np.full((140, 460, 3), 255, np.uint8)
    draw_rules(page, [(10, y, 450, y) for y in (10, 70, 130)] + [(x, 10, x, 130) for x in (10, 230, 450)])
    lines: list[TextLine] = []
    for (left, top), text in zip(
        ((20, 18), (240, 18), (20, 78), (240, 78)), ("Item", "Price", "Lamp", "86.50"), strict=True
    ):
        picture = drawn_line(text)
        height, width = picture.shape[:2]
        page[top : top + height, left : left + width] = picture
        lines.append(text_line(left, top, left + width, top + height))
    result = read(engine, Crop(0, RegionKind.TABLE, page, tuple(lines)))
    assert result.text == (
        "<table><tr><td>Item</td><td>Price</td></tr><tr><td>Lamp</td><td>86.50</td></tr></table>"
    )


def test_a_table_without_rules_is_read_with_the_model(engine: Engine) -> None:
    page = np.full((300, 700, 3), 255, np.uint8)
    words = [
        ["Station", "Depth", "Clarity"],
        ["Harbour", "12.4", "4.1"],
        ["River", "2.1", "1.8"],
        ["Pier", "7.9", "3.2"],
    ]
    lines: list[TextLine] = []
    for row, texts in enumerate(words):
        for column, text in enumerate(texts):
            picture = drawn_line(text)
            (height, width), left, top = picture.shape[:2], 20 + 230 * column, 10 + 70 * row
            page[top : top + height, left : left + width] = picture
            lines.append(text_line(left, top, left + width, top + height))
    html = read(engine, Crop(0, RegionKind.TABLE, page, tuple(lines))).text
    rows = ("".join(f"<td>{text}</td>" for text in texts) for texts in words)
    assert html == "<table>" + "".join(f"<tr>{row}</tr>" for row in rows) + "</table>"
