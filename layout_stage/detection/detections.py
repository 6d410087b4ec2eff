"""What a layout network sees on a page: before post-processing, and after."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcscribe.types import Box, Point

Mask = NDArray[Any]
"""Of shape (height, width): the page at the network's own resolution, not 0 where the thing is."""
Points = NDArray[np.float64]
"""Corners of a polygon; shape (n, 2), x and y."""
Content = tuple[float, str, float, float, float, float, float, float]


@dataclass(frozen=True, slots=True)
class Candidate:
    """One row of the network's output."""

    label: str
    score: float
    box: Box
    """In pixels of the page; it may reach over the page's edges."""
    order: float | None = None
    """Its place in the predicted reading order, for networks that predict one."""
    votes: float = 0.0
    """How sure the network is of the place; of two with the same place the one with more votes goes first."""
    mask: Mask | None = field(default=None, compare=False, repr=False)

    @property
    def content(self) -> Content:
        """What candidates are sorted by: the best score first, and then so that one order is possible."""
        box = self.box
        place = -1.0 if self.order is None else self.order
        return -self.score, self.label, box.top, box.left, box.bottom, box.right, place, -self.votes


@dataclass(frozen=True, slots=True)
class Detection:
    """One thing that is on the page."""

    label: str
    score: float
    box: Box
    """In pixels of the page, and within it."""
    order: int | None
    """The predicted reading order: a greater number is read later; None where no order is predicted."""
    polygon: tuple[Point, ...] | None
    """Its outline where it is not the box itself."""
