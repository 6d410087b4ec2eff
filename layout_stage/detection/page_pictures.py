"""Leaving out a picture that is the page itself, as a network sees scans and photographs."""

from collections.abc import Sequence

from layout_stage.detection.detections import Candidate
from layout_stage.parts import PageSize

_PICTURE = "image"
_LANDSCAPE, _PORTRAIT = 0.82, 0.93
"""The most of a page that a picture on it covers (paddlex 3.7.2, `DetPostProcess.apply`)."""


def without_page_pictures(candidates: Sequence[Candidate], size: PageSize) -> list[Candidate]:
    """The candidates without pictures of the page's size, unless there is nothing else."""
    most = (_LANDSCAPE if size.width > size.height else _PORTRAIT) * size.width * size.height
    kept = [c for c in candidates if c.label != _PICTURE or _area_on_page(c, size) <= most]
    return kept or list(candidates)


def _area_on_page(candidate: Candidate, size: PageSize) -> float:
    return candidate.box.clipped(size.width, size.height).area
