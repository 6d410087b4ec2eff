"""Writes the fixtures of tests/layout_stage/detection: test networks, and what paddlex makes of them.

    python -m tests.reference_paddlex            writes them
    python -m tests.reference_paddlex --check    fails where paddlex makes anything else of the networks there

It needs paddlex[ocr-core] 3.7.2 and onnxruntime in an environment of their own; to write networks, onnx too.
"""

import argparse
import base64
import json
import sys
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from paddlex.inference import create_predictor

from tests.layout_stage.detection.pages import drawn_pages
from tests.reference_paddlex.cases import cases_for, predict_arguments
from tests.reference_paddlex.families import FAMILIES, ModelFamily

_FIXTURES = Path(__file__).parents[1] / "layout_stage" / "detection" / "fixtures"
_EXPECTED = "expected.json"
_SAMPLES = 6
"""Pixels of each input, down and across, that are kept to compare."""


class _Runner:
    """paddlex's runner of a network, which remembers what came in and went out last."""

    def __init__(self, runner: Any) -> None:
        self._runner = runner
        self.inputs: list[NDArray[Any]] = []
        self.outputs: list[NDArray[Any]] = []

    def __call__(self, inputs: Any) -> Any:
        outputs = self._runner(inputs)
        # Copies: post-processing rounds boxes where they are.
        self.inputs, self.outputs = ([np.array(array) for array in arrays] for arrays in (inputs, outputs))
        return outputs


def main() -> int:
    """The exit status: 1 where something differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    unlike = [family.folder for family in FAMILIES if not (_agrees(family) if check else _write(family))]
    sys.stdout.write(f"paddlex differs for {', '.join(unlike)}\n" if unlike else "paddlex agrees\n")
    return bool(unlike)


def _write(family: ModelFamily) -> bool:
    import onnx  # type: ignore[import-not-found]  # noqa: PLC0415  # not needed to check
    import yaml  # type: ignore[import-untyped]  # noqa: PLC0415

    from tests.reference_paddlex.graphs import network  # noqa: PLC0415

    folder = _FIXTURES / family.folder
    folder.mkdir(parents=True, exist_ok=True)
    onnx.save(network(family), folder / "inference.onnx")
    yml = yaml.safe_dump(family.inference_yml(), sort_keys=False)
    (folder / "inference.yml").write_text(yml, encoding="utf-8")
    (folder / _EXPECTED).write_text(_text(family), encoding="utf-8")
    return True


def _agrees(family: ModelFamily) -> bool:
    return (_FIXTURES / family.folder / _EXPECTED).read_text(encoding="utf-8") == _text(family)


def _text(family: ModelFamily) -> str:
    """What paddlex makes of the network in the family's folder: JSON, a line for each case."""
    predictor = create_predictor(
        family.model_name,
        model_dir=str(_FIXTURES / family.folder),
        engine="onnxruntime",
        device="cpu",
        batch_size=len(drawn_pages()),
    )
    predictor.runner = runner = _Runner(predictor.runner)
    pages = [np.ascontiguousarray(page[..., ::-1]) for page in drawn_pages()]
    cases = cases_for(family)
    regions = {
        name: _regions(predictor, pages, predict_arguments(case, family)) for name, case in cases.items()
    }
    parts = {
        "inputs": _inputs(runner.inputs),
        "raw": _raw(runner.outputs),
        **{name: {"settings": cases[name], "pages": regions[name]} for name in cases},
    }
    lines = (f"{json.dumps(name)}: {json.dumps(part, separators=(',', ':'))}" for name, part in parts.items())
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _regions(predictor: Any, pages: list[NDArray[Any]], arguments: dict[str, Any]) -> list[list[Any]]:
    return [[_region(box) for box in page["boxes"]] for page in predictor(pages, **arguments)]


def _region(box: dict[str, Any]) -> dict[str, Any]:
    polygon = box.get("polygon_points")
    return {
        "label": box["label"],
        "score": round(box["score"], 6),
        "box": [round(float(side), 3) for side in box["coordinate"]],
        "polygon": None if polygon is None else np.round(np.asarray(polygon, float), 2).tolist(),
    }


def _inputs(arrays: list[NDArray[Any]]) -> dict[str, Any]:
    *shape, image, scale = arrays
    steps = [np.linspace(0, side - 1, _SAMPLES).astype(int) for side in image.shape[2:]]
    return {
        "im_shape": shape[0].tolist() if shape else None,
        "scale_factor": _short(scale),
        "image": _short(image[:, :, steps[0]][:, :, :, steps[1]]),
    }


def _raw(outputs: list[NDArray[Any]]) -> dict[str, Any]:
    masks = outputs[2] if len(outputs) > 2 else None
    return {
        "boxes": _short(outputs[0]),
        "counts": outputs[1].tolist(),
        "masks": None if masks is None else _packed(masks),
        "mask_shape": None if masks is None else list(masks.shape),
    }


def _short(array: NDArray[Any]) -> Any:
    """float32 in as many digits as tell it."""
    return np.vectorize(lambda value: float(f"{value:.9g}"))(array.astype(np.float32)).tolist()


def _packed(masks: NDArray[Any]) -> str:
    return base64.b64encode(zlib.compress(np.packbits(masks > 0).tobytes(), 9)).decode()


if __name__ == "__main__":
    sys.exit(main())
