"""`python -m bench.seals [--seals N] [--json FILE]`: how well seals are found and read, on N generated ones.

Each is stamped at a random turn and strength over a signature block, and scanned to JPEG (see
`samples.render.seal_variety`; the Noto fonts are needed). For each sort of paper: the share of seals that are
found by their colour, and, of the true seal's picture, the normalised edit distance (0 is best) of the text
along the ring, and of all text from the ring inwards: its mean, the 50th and 90th percentile and the worst.
"""

import argparse
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from rapidfuzz.distance import Levenshtein

from arcscribe.inference.openvino import OpenVinoSettings
from arcscribe.inference.text_detector import TextDetector
from arcscribe.models.store import ModelStore
from arcscribe.types import Box, Crop, RegionKind, RgbImage
from layout_stage.seals import find_seals
from samples.render.seal_variety import StampedPaper, varied_paper
from vlm_stage.engines.load import PP_OCR
from vlm_stage.engines.pp_ocr.line_recognizer import LineRecognizer, RecognizerPaths
from vlm_stage.engines.pp_ocr.seal_cutter import cut_seal
from vlm_stage.recognizer import MIN_CONFIDENCE

Read = Callable[[RgbImage], list[str]]

FIRST_SEED = 5000
FOUND = 0.8
"""The least intersection over union with the true box."""
PAPERS: dict[str, Callable[[int], StampedPaper]] = {
    "white": lambda seed: varied_paper(seed, over_text=False, scanned=False),
    "over text": lambda seed: varied_paper(seed, over_text=True, scanned=False),
    "over text, scanned": lambda seed: varied_paper(seed, over_text=True, scanned=True),
    "over text, scanned, any turn": lambda seed: varied_paper(
        seed, over_text=True, scanned=True, most_turn=180
    ),
    "grey scan": lambda seed: varied_paper(seed, over_text=False, scanned=True, grey=True),
    "over text, grey scan": lambda seed: varied_paper(seed, over_text=True, scanned=True, grey=True),
}


def load_reader() -> Read:
    """What reads a seal's picture with the default engine's models."""
    files, root = PP_OCR["pp-ocrv6"], ModelStore().root
    detector = TextDetector(root / files.detector, OpenVinoSettings())
    reader = LineRecognizer(RecognizerPaths(root / files.recognizer), OpenVinoSettings(), 1).reader()

    def read(pixels: RgbImage) -> list[str]:
        best = [
            max((reader.read([image])[0] for image in found.images), key=lambda one: one.confidence)
            for found in cut_seal(Crop(0, RegionKind.SEAL, pixels), detector.detect)
        ]
        return [one.text.replace(" ", "") for one in best if one.confidence >= MIN_CONFIDENCE and one.text]

    return read


def measure(read: Read, papers: Sequence[StampedPaper]) -> dict[str, float]:
    """The figures of some seals."""
    found, ring, whole = 0, [], []
    for paper in papers:
        pixels, box = np.asarray(paper.image), paper.box
        found += any(seal.iou(box) >= FOUND for seal in find_seals(pixels))
        said = read(_part(pixels, box))
        ring.append(Levenshtein.normalized_distance(said[0] if said else "", paper.seal.name))
        whole.append(Levenshtein.normalized_distance("".join(said), paper.seal.text))
    return {"found": found / len(papers), **_spread("ring", ring), **_spread("all", whole)}


def _part(pixels: RgbImage, box: Box) -> RgbImage:
    return np.ascontiguousarray(pixels[int(box.top) : int(box.bottom), int(box.left) : int(box.right)])


def _spread(name: str, values: Sequence[float]) -> dict[str, float]:
    figures = {
        "mean": float(np.mean(values)),
        "p50": float(np.percentile(values, 50)),
        "p90": float(np.percentile(values, 90)),
        "max": max(values),
    }
    return {f"{name}_{key}": round(value, 4) for key, value in figures.items()}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.seals", description=__doc__)
    parser.add_argument("--seals", type=int, default=40, help="how many of each sort of paper")
    parser.add_argument("--json", type=Path, help="where to write the figures too")
    options = parser.parse_args()
    read, report = load_reader(), {}
    for name, draw in PAPERS.items():
        report[name] = measure(read, [draw(FIRST_SEED + seed) for seed in range(options.seals)])
        print(f"{name}: {report[name]}")
    if options.json:
        options.json.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
