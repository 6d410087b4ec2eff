"""Candidates for tests: single ones, and any."""

import numpy as np
from hypothesis import strategies as st

from arcscribe.types import Box
from layout_stage.detection.detection_settings import DetectionSettings, MergeMode, PolygonShape
from layout_stage.detection.detections import Candidate, Mask
from layout_stage.parts import PageSize

PAGE = PageSize(200, 300)
LABELS = ("text", "image", "formula", "table", "seal", "inline_formula", "reference", "doc_title")


def seen(
    label: str, box: tuple[float, float, float, float], score: float = 0.9, mask: Mask | None = None
) -> Candidate:
    return Candidate(label, score, Box(*box), mask=mask)


def _box(left: float, top: float, width: float, height: float) -> Box:
    return Box(left, top, left + width, top + height)


_sides = st.floats(-60, 320, width=32)
_lengths = st.one_of(st.floats(0, 400, width=32), st.just(0.0))
_boxes = st.one_of(
    st.builds(_box, _sides, _sides, _lengths, _lengths),
    # These often lie in one another.
    st.builds(
        _box,
        *[st.integers(0, 3).map(lambda n: 50.0 * n)] * 2,
        *[st.integers(1, 4).map(lambda n: 49.0 * n)] * 2,
    ),
)


def _with_mask(candidate: Candidate, seed: int) -> Candidate:
    rough = np.random.default_rng(seed).integers(0, 3, (6, 6)) > 0
    mask = np.kron(rough, np.ones((8, 8), bool))
    return Candidate(candidate.label, candidate.score, candidate.box, float(seed), 0.0, mask)


plain = st.builds(Candidate, st.sampled_from(LABELS), st.floats(0, 1, width=32), _boxes)
masked = st.builds(_with_mask, plain, st.integers(0, 99))
many = st.one_of(st.lists(plain, max_size=12), st.lists(masked, max_size=8))
_ratios = st.tuples(*[st.floats(0.25, 4)] * 2)
all_settings = st.builds(
    DetectionSettings,
    threshold=st.one_of(st.floats(0, 1), st.dictionaries(st.sampled_from(LABELS), st.floats(0, 1))),
    nms=st.booleans(),
    merge=st.one_of(
        st.sampled_from(MergeMode), st.dictionaries(st.sampled_from(LABELS), st.sampled_from(MergeMode))
    ),
    unclip=st.one_of(_ratios, st.dictionaries(st.sampled_from(LABELS), _ratios)),
    shape=st.sampled_from(PolygonShape),
    whole_pixels=st.booleans(),
    drop_overlapping=st.booleans(),
)
