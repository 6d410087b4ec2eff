"""What paddlex made of the networks in `fixtures`; `python -m tests.reference_paddlex` writes them."""

import base64
import json
import zlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from layout_stage.detection.detection_settings import DetectionSettings, MergeMode, PolygonShape, Unclip
from layout_stage.detection.inference_config import read_inference_config
from layout_stage.detection.raw_boxes import RawBoxes

FIXTURES = Path(__file__).parent / "fixtures"
FAMILIES = ("s", "m", "l", "plus_l", "block", "v2", "v3")
ORDERED = ("v2", "v3")


@cache
def reference(family: str) -> Any:
    """The content of a family's `expected.json`."""
    return json.loads((FIXTURES / family / "expected.json").read_text(encoding="utf-8"))


def all_cases() -> list[tuple[str, str]]:
    """Each family with each of its cases."""
    return [
        (family, case)
        for family in FAMILIES
        for case in reference(family)
        if "pages" in reference(family)[case]
    ]


def raw_boxes(family: str) -> RawBoxes:
    """What the network gave for the drawn pages."""
    raw = reference(family)["raw"]
    masks = None if raw["masks"] is None else _unpacked(raw["masks"], raw["mask_shape"])
    return RawBoxes(np.array(raw["boxes"], np.float32), np.array(raw["counts"], np.int32), masks)


def settings_of(family: str, case: str) -> DetectionSettings:
    """The settings that paddlex was told, as this stage has them."""
    told = reference(family)[case]["settings"]
    threshold, merge = told["threshold"], told["merge"]
    return DetectionSettings(
        read_inference_config(FIXTURES / family).draw_threshold if threshold is None else threshold,
        told["nms"],
        {k: MergeMode(v) for k, v in merge.items()}
        if isinstance(merge, dict)
        else MergeMode(merge or "union"),
        _unclip(told["unclip"]),
        PolygonShape(told["shape"]),
        whole_pixels=family in ORDERED,
        drop_overlapping=family in ORDERED,
    )


def _unclip(told: Any) -> Unclip | Mapping[str, Unclip]:
    if isinstance(told, dict):
        return {label: (ratio[0], ratio[1]) for label, ratio in told.items()}
    return (told[0], told[1]) if told else (1.0, 1.0)


def _unpacked(text: str, shape: list[int]) -> NDArray[np.uint8]:
    bits = np.frombuffer(zlib.decompress(base64.b64decode(text)), np.uint8)
    return np.unpackbits(bits, count=int(np.prod(shape))).reshape(shape)
