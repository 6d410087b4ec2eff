"""The settings with which fixtures are made: by label as tests read them, by class as paddlex wants them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import paddlex
import yaml  # type: ignore[import-untyped]

from tests.reference_paddlex.families import ModelFamily

Case = dict[str, Any]
"""`threshold`, `nms`, `merge`, `unclip`, `shape`; by label where by class; None is paddlex's own."""

_PIPELINES = Path(paddlex.__file__).parent / "configs" / "pipelines"
_SETTINGS_OF = {
    "s": ("seal_recognition", "LayoutDetection"),
    "m": ("seal_recognition", "LayoutDetection"),
    "l": ("seal_recognition", "LayoutDetection"),
    "plus_l": ("PP-StructureV3", "LayoutDetection"),
    "block": ("PP-StructureV3", "RegionDetection"),
    "v2": ("PaddleOCR-VL", "LayoutDetection"),
    "v3": ("PaddleOCR-VL-1.5", "LayoutDetection"),
}
"""The pipeline that uses a model; PP-DocLayout-S and -M, which none uses, are set like -L."""
_NOTHING: Case = {"threshold": None, "nms": False, "merge": None, "unclip": None, "shape": "auto"}


def cases_for(family: ModelFamily) -> dict[str, Case]:
    """All cases of a family by name; `pipeline` is what paddlex's own pipeline sets."""
    pipeline = _pipeline(family)
    by_class = dict(zip(family.labels, ("large", "small", "union") * len(family.labels), strict=False))
    wide = {label: [1.1, 1.05] for label in ("image", "table", "seal") if label in family.labels}
    cases = {
        "pipeline": pipeline,
        "as_the_model_says": dict(_NOTHING),
        "large": {**_NOTHING, "threshold": 0.3, "nms": True, "merge": "large", "unclip": [1.04, 0.96]},
        "small": {**_NOTHING, "threshold": 0.3, "merge": "small"},
        "by_class": {**_NOTHING, "threshold": _thresholds(family), "merge": by_class, "unclip": wide or None},
    }
    if family.masks:
        cases |= {shape: {**pipeline, "shape": shape} for shape in ("rect", "quad", "poly")}
    return cases


def predict_arguments(case: Case, family: ModelFamily) -> dict[str, Any]:
    """What paddlex's predictor is called with."""
    arguments = {
        "threshold": _by_class(case["threshold"], family.labels),
        "layout_nms": case["nms"],
        "layout_merge_bboxes_mode": _by_class(case["merge"], family.labels),
        "layout_unclip_ratio": _by_class(case["unclip"], family.labels),
    }
    return arguments | ({"layout_shape_mode": case["shape"]} if family.columns > 6 else {})


def _pipeline(family: ModelFamily) -> Case:
    pipeline, module = _SETTINGS_OF[family.folder]
    text = (_PIPELINES / f"{pipeline}.yaml").read_text(encoding="utf-8")
    settings = yaml.safe_load(text)["SubModules"][module]
    unclip = settings.get("layout_unclip_ratio")
    return {
        "threshold": _by_label(settings.get("threshold"), family.labels),
        "nms": settings["layout_nms"],
        "merge": _by_label(settings["layout_merge_bboxes_mode"], family.labels),
        "unclip": [unclip, unclip] if isinstance(unclip, float) else unclip,
        "shape": "auto",
    }


def _thresholds(family: ModelFamily) -> dict[str, float]:
    """Thresholds for every other class."""
    return {label: 0.2 + 0.02 * number for number, label in enumerate(family.labels) if number % 2 == 0}


def _by_label(value: Any, labels: Sequence[str]) -> Any:
    return {labels[number]: v for number, v in value.items()} if isinstance(value, Mapping) else value


def _by_class(value: Any, labels: Sequence[str]) -> Any:
    return {labels.index(label): v for label, v in value.items()} if isinstance(value, Mapping) else value
