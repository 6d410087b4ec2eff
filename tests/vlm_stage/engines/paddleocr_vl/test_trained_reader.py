"""The engine with weights that read: lines the toy reader was not trained on, as transformers reads them."""

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from arcscribe.types import Crop, FinishReason, RecognizeOptions, RegionKind, RegionText, RgbImage
from tests.vlm_stage.convert.conversions import unheard
from tests.vlm_stage.engines.paddleocr_vl.fake_engine import read_all
from vlm_stage.convert.convert import convert
from vlm_stage.convert.request import Request
from vlm_stage.engines.paddleocr_vl.engine import PaddleOcrVlEngine
from vlm_stage.engines.paddleocr_vl.load import load_paddleocr_vl
from vlm_stage.engines.paddleocr_vl.manifest import NetworkPrecision
from vlm_stage.engines.paddleocr_vl.settings import PaddleOcrVlSettings

SAMPLES = Path(__file__).parents[4] / "samples"
PICTURES = SAMPLES / "toy_reader/pictures"
TRUTH = json.loads((PICTURES / "truth.json").read_text(encoding="utf-8"))
READ = [line["read"] for line in TRUTH]
"""What transformers 5.24 reads, in float32."""


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PaddleOcrVlEngine]:
    folder = tmp_path_factory.mktemp("reader") / "reader-fp32"
    convert(Request(SAMPLES / "checkpoints/reader", folder, NetworkPrecision.FP32), unheard)
    loaded = load_paddleocr_vl(PaddleOcrVlSettings(model=str(folder), kv_memory_mb=64), folder.parent)
    assert isinstance(loaded, PaddleOcrVlEngine)
    yield loaded
    loaded.close(1)


def read(
    engine: PaddleOcrVlEngine, drafts: list[str], options: RecognizeOptions | None = None
) -> list[RegionText]:
    """All lines at once, each with its draft."""
    crops = [
        Crop(number, RegionKind.TEXT, pixels(number), draft=draft, options=options or RecognizeOptions())
        for number, draft in enumerate(drafts)
    ]
    output = read_all(engine, crops)
    answers = [output[number][-1] for number in range(len(crops))]
    return [answer for answer in answers if isinstance(answer, RegionText)]


def pixels(number: int) -> RgbImage:
    return np.asarray(Image.open(PICTURES / TRUTH[number]["picture"]).convert("RGB"))


def test_lines_read_together_say_what_transformers_reads_of_each_alone(engine: PaddleOcrVlEngine) -> None:
    answers = read(engine, [""] * len(TRUTH))
    assert [answer.text for answer in answers] == READ
    assert {answer.finish_reason for answer in answers} == {FinishReason.STOP}
    assert {(answer.engine, answer.model) for answer in answers} == {("paddleocr-vl", "reader-fp32")}
    assert engine.model.name == "reader-fp32"
    right = sum(answer.text == line["text"] for answer, line in zip(answers, TRUTH, strict=True))
    assert right >= 0.95 * len(TRUTH)


def test_right_and_wrong_drafts_change_nothing_but_the_steps(engine: PaddleOcrVlEngine) -> None:
    drafts = [f"{text[:4]}7{text[5:]}" if number % 3 else text for number, text in enumerate(READ)]
    answers = read(engine, drafts)
    assert [answer.text for answer in answers] == READ
    assert sum(answer.draft_tokens for answer in answers) > 0


def test_a_text_that_is_cut_is_the_beginning_and_says_so(engine: PaddleOcrVlEngine) -> None:
    answers = read(engine, [""] * len(TRUTH), RecognizeOptions(max_new_tokens=3))
    for answer, whole in zip(answers, READ, strict=True):
        assert answer.text == whole[:3].rstrip()
        assert (answer.finish_reason is FinishReason.STOP) == (len(whole) < 3)
