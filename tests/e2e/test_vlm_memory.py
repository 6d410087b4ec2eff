"""The engine paddleocr-vl in its real process, busy with mixed crops: it keeps none of them.

`python -m bench.vlm_soak` is the same for hours, with crops of all sizes.
"""

from pathlib import Path

from bench.vlm_load.held_memory import growth
from bench.vlm_load.soak import soak
from bench.vlm_load.source import Source
from bench.vlm_load.stage import convert_toy, running_stage

LARGEST = (300, 400)
"""Pixels: all crops are enlarged to about the same number, so that OpenVINO soon knows all shapes."""
PATCHES_MB = 1.35
"""Of nearly every crop: 576 patches of 588 float32 numbers."""


def test_of_hundreds_of_mixed_crops_nothing_stays_in_memory_and_each_is_answered_once(tmp_path: Path) -> None:
    with running_stage(convert_toy(tmp_path), tmp_path) as stage:
        seen = soak(stage, Source(0, LARGEST), warm_up=300, crops=300, every=100)
    assert not seen.faults, seen.counts
    assert {"length", "picture", "TOO_LARGE", "INVALID_OPTION", "left unanswered"} <= seen.counts.keys()
    crops = [held.crops for held in seen.held]
    assert growth(crops, [held.rss for held in seen.held]) < 1000 * PATCHES_MB / 10, seen.held
