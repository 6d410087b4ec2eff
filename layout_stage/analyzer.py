"""The layout stage as one function: from a page's pixels to its regions in reading order."""

import time
from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from arcscribe.geometry import shifted_line, turn_upright
from arcscribe.types import Box, PageLayout, RgbImage, StageModel, TextLine
from layout_stage.composing.composer import Composer
from layout_stage.parts import PageSize, Part, characters, runs_down, to_regions
from layout_stage.seal_ink import has_color
from layout_stage.seals import find_seals, lift_seals, seal_part, stamped_lines, unlike
from layout_stage.skew import straightening

_SURE_OF_TURN = 0.8
"""What the orientation network must say for a page to be turned: a wrong turn loses an upright page."""
_SIDEWAYS = (1, 3)
"""Classes of the orientation network: turned by 90 and by 270 degrees."""
_ENOUGH_TEXT = 50.0
"""Square characters of a page whose lines run across, and which may be vertical writing on its side."""
_SEALS_LOOKED_INTO = 24
"""Of a page with more seals, whose lines are sought in each by itself; the rest have those of the page."""


class LayoutEngine(Protocol):
    """The networks that the stage asks, whatever the layout model; see `layout_stage.engines`."""

    @property
    def model(self) -> StageModel: ...

    def detect_lines(self, image: RgbImage) -> tuple[TextLine, ...]:
        """Text lines, in pixels of the image."""
        ...

    def score_orientations(self, image: RgbImage) -> NDArray[np.float32]:
        """How likely the image is turned clockwise by 0, 90, 180 and 270 degrees; shape (4,), sum 1."""
        ...


Unwarp = Callable[[RgbImage], RgbImage]
"""A page without the bends of its paper, of the same size."""


class LayoutAnalyzer:
    """Finds the regions of pages with a loaded engine and a layout model."""

    def __init__(self, engine: LayoutEngine, composer: Composer, unwarp: Unwarp | None = None) -> None:
        """Takes what makes an upright page flat too, if pages are to be made flat."""
        self._engine, self._composer, self._unwarp = engine, composer, unwarp

    @property
    def model(self) -> StageModel:
        return self._engine.model

    def analyze(self, image: RgbImage, *, detect_orientation: bool = True) -> PageLayout:
        """A page's regions in reading order; every text line found is in exactly one.

        Args:
            image: the page, uint8 of shape (height, width, 3), RGB.
            detect_orientation: whether a page that lies on its side or its head is turned upright first.
        """
        clock = _Clock()
        rotation = self._rotation(image) if detect_orientation else 0
        upright = turn_upright(image, rotation)
        clock.lap("orientation")
        unwarped = self._unwarp(upright) if self._unwarp else None
        if unwarped is not None:
            upright = unwarped
            clock.lap("unwarping")

        lines, seals = self._lines_and_seals(upright)
        clock.lap("text_detection")

        size = PageSize(upright.shape[1], upright.shape[0])
        turn = straightening(lines, size.width, size.height)
        level = turn.image(upright)
        stamps = [turn.part(seal) for seal in seals]
        parts = self._composer.compose(level, [*map(turn.line, lines)], stamps, clock.lap)
        regions = to_regions([*map(turn.back.part, parts)], size)
        return PageLayout(
            rotation, size.width, size.height, regions, self._engine.model, clock.laps, unwarped
        )

    def _lines_and_seals(self, image: RgbImage) -> tuple[tuple[TextLine, ...], list[Part]]:
        """The page's lines without those of its seals, and the seals with theirs."""
        colored = has_color(image)
        seals = find_seals(image, colored=colored)
        lines = self._engine.detect_lines(lift_seals(image, seals, colored=colored))
        parts: list[Part] = []
        for number, seal in enumerate(seals):
            stamped = stamped_lines(image, seal, lines, colored=colored)
            taken = set(stamped)
            lines = tuple(line for line in lines if line not in taken)
            inside = self._lines_in(image, seal) if number < _SEALS_LOOKED_INTO else ()
            own = stamped_lines(image, seal, inside, colored=colored)
            parts.append(seal_part(seal, [*own, *unlike(stamped, own)]))
        return lines, parts

    def _lines_in(self, image: RgbImage, box: Box) -> tuple[TextLine, ...]:
        """The lines found in a part of a page, in pixels of the page."""
        left, top = max(0, int(box.left)), max(0, int(box.top))
        part = np.ascontiguousarray(image[top : int(box.bottom) + 1, left : int(box.right) + 1])
        return tuple(shifted_line(line, left, top) for line in self._engine.detect_lines(part))

    def _rotation(self, image: RgbImage) -> int:
        """The clockwise turn in degrees that makes a page upright; 0 where the network is not sure."""
        scores = self._engine.score_orientations(image)
        turn = int(np.argmax(scores))
        if scores[turn] < _SURE_OF_TURN or (turn in _SIDEWAYS and not self._lies_on_its_side(image, turn)):
            return 0
        return (360 - 90 * turn) % 360

    def _lies_on_its_side(self, image: RgbImage, turn: int) -> bool:
        """Whether most text runs down the image as it is; the network guesses where there is little text.

        Vertical writing on its side runs across: there, the network must say the same however the page is
        turned.
        """
        lines = self._engine.detect_lines(image)
        return runs_down(lines) or (
            sum(map(characters, lines)) >= _ENOUGH_TEXT
            and all(self._is_surely((turn + more) % 4, turn_upright(image, 90 * more)) for more in (1, 2, 3))
        )

    def _is_surely(self, turn: int, image: RgbImage) -> bool:
        return bool(self._engine.score_orientations(image)[turn] >= _SURE_OF_TURN)


class _Clock:
    """The milliseconds of each step since the one before."""

    def __init__(self) -> None:
        self._last = time.perf_counter()
        self._laps: list[tuple[str, float]] = []

    def lap(self, name: str) -> None:
        """Ends the step of that name."""
        now = time.perf_counter()
        self._laps.append((name, round(1000 * (now - self._last), 2)))
        self._last = now

    @property
    def laps(self) -> tuple[tuple[str, float], ...]:
        return tuple(self._laps)
