"""What a layout network's outputs mean."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
import structlog
from numpy.typing import NDArray

from arcscribe.errors import InferenceFailed
from arcscribe.types import Box
from layout_stage.detection.detections import Candidate

_log = structlog.get_logger()

_COLUMNS = (6, 7, 8)
_MOST_ON_A_PAGE = 500
"""Our own, against networks that do not end: PP-StructureV3's give 300 boxes for a page."""
_MOST_TOLD = 16
"""Counts that a message tells."""


@dataclass(frozen=True, slots=True, eq=False)
class RawBoxes:
    """A network's outputs for a batch of pages."""

    boxes: NDArray[Any]
    """Shape (boxes of all pages, 6 to 8): class, score, left, top, right, bottom; order; votes for the order.

    Sides are in pixels of each page. A class below 0 marks an empty row.
    """
    counts: NDArray[Any]
    """How many of the boxes are each page's, from the first on; shape (pages,)."""
    masks: NDArray[Any] | None = None
    """For each box a mask of its page; shape (boxes of all pages, height, width)."""

    @classmethod
    def of(cls, outputs: Sequence[NDArray[Any]]) -> "RawBoxes":
        """A network's outputs in their order; their names differ from export to export.

        Raises:
            InferenceFailed: there are not two or three.
        """
        if len(outputs) not in (2, 3):
            raise InferenceFailed(
                f"the layout network has {len(outputs)} outputs, and not boxes, counts, masks"
            )
        return cls(outputs[0], outputs[1].reshape(-1), outputs[2] if len(outputs) > 2 else None)


def candidates(raw: RawBoxes, labels: Sequence[str], pages: int) -> tuple[tuple[Candidate, ...], ...]:
    """The candidates of each page, as long as `raw` lives: masks are views of it.

    Rows that are empty, are no box or hold no numbers are left out, the last with a line in the log; so are
    the least scored of more than 500.

    Raises:
        InferenceFailed: the outputs do not fit one another, the labels or the pages, or hold no number.
    """
    counts = _counts(raw, pages)
    total = sum(counts)
    if total == 0:
        return ((),) * pages
    _check(raw, total)
    table = np.asarray(raw.boxes[:total], np.float64)
    taken = _meaningful(table, len(labels))
    return tuple(
        tuple(_candidate(table[i], labels, raw.masks, i) for i in _best(start, end, taken, table[:, 1]))
        for start, end in pairwise(accumulate(counts, initial=0))
    )


def _counts(raw: RawBoxes, pages: int) -> list[int]:
    counts = np.asarray(raw.counts).reshape(-1)
    if len(counts) != pages or not (np.isfinite(counts) & (counts >= 0)).all():
        told = counts[:_MOST_TOLD].tolist()
        raise InferenceFailed(f"the layout network counted {told} boxes on {pages} pages")
    return [int(count) for count in counts]


def _check(raw: RawBoxes, total: int) -> None:
    """Raises InferenceFailed unless there are as many rows and masks as were counted."""
    shape = raw.boxes.shape
    if len(shape) != 2 or shape[1] not in _COLUMNS:
        raise InferenceFailed(f"the layout network's boxes have the shape {shape}, and not (boxes, 6 to 8)")
    # Some devices fill up to a fixed number of rows with empty ones.
    if len(raw.boxes) < total or (raw.boxes[total:, 0] >= 0).any():
        raise InferenceFailed(f"the layout network gave {len(raw.boxes)} boxes, but counted {total}")
    if raw.masks is not None and (raw.masks.ndim != 3 or len(raw.masks) < total):
        raise InferenceFailed(
            f"the layout network's masks have the shape {raw.masks.shape} for {total} boxes"
        )


def _meaningful(table: NDArray[np.float64], labels: int) -> NDArray[np.bool_]:
    """Which rows are boxes."""
    finite = np.isfinite(table).all(axis=1)
    if not finite.any():
        raise InferenceFailed("the layout network gave no number; try another precision or device")
    if not finite.all():
        _log.warning("layout_rows_without_numbers", rows=int((~finite).sum()), of=len(table))
    if (table[finite, 0] >= labels).any():
        raise InferenceFailed(f"the layout network has more classes than the {labels} of its inference.yml")
    box = (table[:, 4] >= table[:, 2]) & (table[:, 5] >= table[:, 3])
    return np.asarray(finite & box & (table[:, 0] >= 0))


def _best(start: int, end: int, taken: NDArray[np.bool_], scores: NDArray[np.float64]) -> Sequence[int]:
    """The places of a page's boxes in their order: of too many, those of the best scores."""
    places = start + np.flatnonzero(taken[start:end])
    if len(places) > _MOST_ON_A_PAGE:
        _log.warning("layout_too_many_boxes", found=len(places), kept=_MOST_ON_A_PAGE)
        best = np.argsort(-scores[places], kind="stable")[:_MOST_ON_A_PAGE]
        places = places[np.sort(best)]
    return [int(place) for place in places]


def _candidate(
    row: NDArray[np.float64], labels: Sequence[str], masks: NDArray[Any] | None, place: int
) -> Candidate:
    number, score, left, top, right, bottom, *order = row.tolist()
    return Candidate(
        labels[int(number)],
        score,
        Box(left, top, right, bottom),
        order[0] if order else None,
        order[1] if len(order) > 1 else 0.0,
        None if masks is None else masks[place],
    )
