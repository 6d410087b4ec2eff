"""What a device's vision encoder makes of the pictures."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vlm_stage.engines.paddleocr_vl.inputs.images import Patches
from vlm_stage.engines.paddleocr_vl.networks.packing import how_many_fit
from vlm_stage.engines.paddleocr_vl.networks.vision_encoder import VisionEncoder
from vlm_stage.progress import Report
from vlm_stage.verify.compare import Difference, difference, worst_of
from vlm_stage.verify.speed import patches_per_second

ImageTokens = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class VisionFindings:
    """`image_tokens` of each picture, encoded alone; how far they are from the `reference`'s, and from those
    of the same pictures encoded in one `row`, which is None where the device takes one picture at a time."""

    image_tokens: tuple[ImageTokens, ...]
    reference: Difference
    row: Difference | None
    pictures_in_row: int
    patches_per_second: float


def run_vision(
    vision: VisionEncoder,
    row_patches: int,
    crops: Sequence[Patches],
    expected: Sequence[ImageTokens],
    report: Report,
) -> VisionFindings:
    """Encodes crops, at least one; `row_patches` is how many patches the device takes in one row."""
    found = []
    for number, crop in enumerate(crops):
        report("encode pictures", number / len(crops))
        found.append(_encode(vision, [crop])[0])
    row = crops[: how_many_fit([len(crop.values) for crop in crops], row_patches)]
    return VisionFindings(
        image_tokens=tuple(found),
        reference=_worst(found, expected),
        row=_worst(_encode(vision, row), found[: len(row)]) if len(row) > 1 else None,
        pictures_in_row=len(row),
        patches_per_second=patches_per_second(vision, row),
    )


def _encode(vision: VisionEncoder, crops: Sequence[Patches]) -> list[ImageTokens]:
    vision.start(crops)
    return [np.array(tokens) for tokens in vision.collect()]


def _worst(found: Sequence[ImageTokens], expected: Sequence[ImageTokens]) -> Difference:
    return worst_of(difference(*pair) for pair in zip(found, expected, strict=True))
