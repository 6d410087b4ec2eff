"""The reading order that a network predicts."""

from collections.abc import Sequence

from layout_stage.detection.detections import Candidate


def in_predicted_order(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The candidates by predicted place, more votes first; by score where no place is predicted."""
    return sorted(candidates, key=lambda c: (c.order or 0.0, -c.votes, c.content))
