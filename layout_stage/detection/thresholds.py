"""Leaving out what a network is not sure of."""

from collections.abc import Mapping, Sequence

import numpy as np

from layout_stage.detection.detection_settings import DEFAULT_THRESHOLD
from layout_stage.detection.detections import Candidate


def over_threshold(
    candidates: Sequence[Candidate], threshold: float | Mapping[str, float]
) -> list[Candidate]:
    """The candidates scored above the threshold, or above that of their label."""
    # In float32, as scores are: 0.3 as a network says it is no more than a threshold of 0.3.
    return [c for c in candidates if np.float32(c.score) > np.float32(_least(c.label, threshold))]


def _least(label: str, threshold: float | Mapping[str, float]) -> float:
    return threshold.get(label, DEFAULT_THRESHOLD) if isinstance(threshold, Mapping) else threshold
