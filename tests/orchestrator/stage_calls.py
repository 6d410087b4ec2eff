"""Crops that a fake VLM stage reads as what their drafts say, and what became of them."""

from collections.abc import Sequence

import numpy as np

from arcscribe.types import Crop, PartialText, RegionKind, RegionText
from orchestrator.stages.vlm import VlmStage

TINY = np.zeros((4, 4, 3), np.uint8)


def crops(*numbers: int) -> tuple[Crop, ...]:
    return tuple(Crop(number, RegionKind.TEXT, TINY, draft=f"text {number}") for number in numbers)


async def results_of(stage: VlmStage, wanted: Sequence[Crop]) -> dict[int, str]:
    """The text of each crop, or the reason of its failure; each must come once."""
    results: dict[int, str] = {}
    async for crop_id, result in stage.recognize(wanted):
        assert crop_id not in results
        assert not isinstance(result, PartialText)
        results[crop_id] = result.text if isinstance(result, RegionText) else result.reason
    return results


def read(*numbers: int) -> dict[int, str]:
    return {number: f"text {number}" for number in numbers}
