from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from structlog.testing import capture_logs

from arcscribe.errors import InferenceFailed
from arcscribe.types import Box
from layout_stage.detection.detections import Candidate
from layout_stage.detection.raw_boxes import RawBoxes, candidates

LABELS = ("text", "table")
ROW = [1, 0.75, 2, 3, 20, 30]


def read(
    rows: Any, counts: Any = None, masks: Any = None, pages: int = 1
) -> tuple[tuple[Candidate, ...], ...]:
    boxes = np.array(rows, np.float32)
    return candidates(
        RawBoxes(boxes, np.array([len(rows)] if counts is None else counts), masks), LABELS, pages
    )


@pytest.mark.parametrize(("more", "order", "votes"), [([], None, 0), ([4], 4, 0), ([4, 2.5], 4, 2.5)])
def test_a_row_has_six_to_eight_columns(more: list[float], order: float | None, votes: float) -> None:
    assert read([ROW + more]) == ((Candidate("table", 0.75, Box(2, 3, 20, 30), order, votes),),)


def test_rows_go_to_their_pages() -> None:
    found = read([[0, s, 0, 0, 1, 1] for s in (0.5, 0.25, 0.125)], [1, 0, 2], pages=3)
    assert [[c.score for c in page] for page in found] == [[0.5], [], [0.25, 0.125]]


def test_each_candidate_has_its_mask() -> None:
    masks = np.arange(2 * 4).reshape(2, 2, 2)
    found = read([ROW, ROW], masks=masks)[0]
    assert [c.mask.tolist() for c in found if c.mask is not None] == masks.tolist()


@pytest.mark.parametrize(
    "boxes", [np.zeros((0, 6)), np.full((1, 6), -1.0), np.full((1, 1), -1.0), np.zeros(0)]
)
def test_a_page_without_boxes_may_come_in_any_shape(boxes: Any) -> None:
    assert candidates(RawBoxes(boxes, np.array([0])), LABELS, 1) == ((),)


def test_empty_rows_and_what_is_no_box_are_left_out() -> None:
    assert read([[-1, 0, 0, 0, 0, 0], [0, 0.5, 9, 0, 2, 5], ROW]) == read([ROW])


def test_empty_rows_after_the_counted_are_left_out() -> None:
    assert read([ROW, [-1] * 6], [1]) == read([ROW])


def test_rows_without_numbers_are_left_out_with_a_word_in_the_log() -> None:
    with capture_logs() as logs:
        assert read([[0, float("nan"), 0, 0, 1, 1], ROW]) == read([ROW])
    assert [(log["event"], log["rows"], log["of"]) for log in logs] == [("layout_rows_without_numbers", 1, 2)]


@pytest.mark.parametrize(
    ("rows", "counts", "pages"),
    [
        ([ROW], [2], 1),
        ([ROW, ROW], [1], 1),
        ([ROW], [1], 2),
        ([ROW], [-1, 2], 2),
        ([ROW], [float("nan")], 1),
        ([ROW], [1] * 9999, 1),
        ([[*ROW, 1, 2, 3]], [1], 1),
        ([ROW[:5]], [1], 1),
        ([[2, *ROW[1:]]], [1], 1),
        ([[float("nan")] * 6], [1], 1),
    ],
)
def test_outputs_that_do_not_fit_have_failed(rows: Any, counts: Any, pages: int) -> None:
    with pytest.raises(InferenceFailed) as caught:
        read(rows, counts, pages=pages)
    assert len(caught.value.message) < 200


def test_of_too_many_boxes_those_with_the_best_scores_are_taken_in_their_order() -> None:
    scores = np.random.default_rng(3).permutation(600) / 1024
    with capture_logs() as logs:
        (found,) = read([[0, score, 0, 0, 1, 1] for score in scores])
    assert [c.score for c in found] == [score for score in scores if score >= 100 / 1024]
    assert [(log["event"], log["found"]) for log in logs] == [("layout_too_many_boxes", 600)]


@pytest.mark.parametrize("shape", [(1, 2, 2), (2, 2)])
def test_too_few_masks_have_failed(shape: tuple[int, ...]) -> None:
    with pytest.raises(InferenceFailed, match="masks"):
        read([ROW, ROW], masks=np.zeros(shape))


@pytest.mark.parametrize("outputs", [1, 4])
def test_other_outputs_have_failed(outputs: int) -> None:
    with pytest.raises(InferenceFailed, match=f"{outputs} outputs"):
        RawBoxes.of([np.zeros(1)] * outputs)


def test_outputs_are_taken_in_their_order() -> None:
    boxes, counts, masks = np.zeros((2, 6)), np.zeros((1, 1)), np.zeros((2, 4, 4))
    raw = RawBoxes.of([boxes, counts, masks])
    assert (raw.boxes is boxes, raw.counts.shape, raw.masks is masks) == (True, (1,), True)
    assert RawBoxes.of([boxes, counts]).masks is None


@given(st.lists(st.lists(st.floats(width=32), min_size=8, max_size=8), min_size=1, max_size=6))
def test_no_row_gives_anything_but_numbers(rows: list[list[float]]) -> None:
    try:
        (found,) = read(rows)
    except InferenceFailed:
        return
    for c in found:
        assert np.isfinite([c.score, *c.content[2:]]).all()
        assert c.label in LABELS
