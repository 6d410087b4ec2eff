"""The seals of the samples, read with the embedded models."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pypdfium2
import pytest
from PIL import Image
from rapidfuzz.distance import Levenshtein

from arcscribe.inference.openvino import OpenVinoSettings
from arcscribe.inference.text_detector import TextDetector
from arcscribe.types import Crop, RegionKind, RgbImage
from layout_stage.seals import find_seals
from vlm_stage.engines.load import PP_OCR
from vlm_stage.engines.pp_ocr.line_recognizer import LineRecognizer, RecognizerPaths
from vlm_stage.engines.pp_ocr.seal_cutter import cut_seal
from vlm_stage.recognizer import MIN_CONFIDENCE

Read = Callable[[RgbImage], list[str]]
SETTINGS = OpenVinoSettings(threads=2)


@pytest.fixture(scope="module")
def read(model_root: Path) -> Read:
    files = PP_OCR["pp-ocrv6"]
    detector = TextDetector(model_root / files.detector, SETTINGS)
    reader = LineRecognizer(RecognizerPaths(model_root / files.recognizer), SETTINGS, 1).reader()

    def read_seal(pixels: RgbImage) -> list[str]:
        best = [
            max((reader.read([image])[0] for image in found.images), key=lambda one: one.confidence)
            for found in cut_seal(Crop(0, RegionKind.SEAL, pixels), detector.detect)
        ]
        return [one.text for one in best if one.confidence >= MIN_CONFIDENCE and one.text]

    return read_seal


def page_of(path: Path, number: int) -> RgbImage:
    if path.suffix != ".pdf":
        return np.asarray(Image.open(path).convert("RGB"))
    document = pypdfium2.PdfDocument(path)
    try:
        return np.asarray(document[number].render(scale=200 / 72).to_pil().convert("RGB"))
    finally:
        document.close()


def true_seals(path: Path, number: int) -> list[str]:
    truth = path.with_name(path.stem.removesuffix("-scan") + ".truth.json")
    page = json.loads(truth.read_text(encoding="utf-8"))["pages"][number]
    return [block["text"] for block in page["blocks"] if block["label"] == "seal"]


@pytest.mark.parametrize(
    ("name", "number"),
    [("contract.pdf", 1), ("contract-scan.pdf", 1), ("quotation.png", 0), ("quotation-scan.jpg", 0)],
)
def test_the_samples_seals_are_found_and_read_from_the_ring_inwards(
    samples: Path, read: Read, name: str, number: int
) -> None:
    page = page_of(samples / name, number)
    seals = sorted(find_seals(page), key=lambda box: box.top)
    expected = true_seals(samples / name, number)
    assert len(seals) == len(expected)
    for seal, text in zip(seals, expected, strict=True):
        pixels = page[int(seal.top) : int(seal.bottom) + 1, int(seal.left) : int(seal.right) + 1]
        said = "".join(read(np.ascontiguousarray(pixels))).replace(" ", "")
        assert Levenshtein.normalized_distance(said, text) <= 0.06, said
