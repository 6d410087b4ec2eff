"""Which lines lie in which of a model's regions."""

from collections.abc import Sequence

from arcscribe.types import Box, TextLine

_HALO = 0.15
"""Of a line's height, by which the detector's boxes are wider than the ink."""
_HELD = 0.5
"""The least of a line that lies in the region that holds it."""


def held_lines(boxes: Sequence[Box], lines: Sequence[TextLine]) -> list[tuple[TextLine, ...]]:
    """For each box the lines that lie in it, in the order given; each line is in one box at most.

    Of several boxes that hold as much of a line, the smallest has it: the formula, not the text round it.
    """
    held: list[list[TextLine]] = [[] for _ in boxes]
    for line in lines:
        core = line.box.expanded(-_HALO * min(line.box.width, line.box.height))
        shares = [(core.coverage_by(box), -box.area, -i) for i, box in enumerate(boxes)]
        share, _, place = max(shares, default=(0.0, 0.0, 0))
        if share >= _HELD:
            held[-place].append(line)
    return [tuple(own) for own in held]
