"""Which lines lie in which of a model's regions."""

from collections.abc import Sequence

from arcscribe.types import Box, TextLine
from layout_stage.parts import ink_box

_HELD = 0.5
"""The least of a line that lies in the region that holds it."""


def held_lines(boxes: Sequence[Box], lines: Sequence[TextLine]) -> list[tuple[TextLine, ...]]:
    """For each box the lines that lie in it, in the order given; each line is in one box at most.

    Of several boxes that hold as much of a line, the smallest has it: the formula, not the text round it.
    """
    held: list[list[TextLine]] = [[] for _ in boxes]
    for line in lines:
        core = ink_box(line)
        shares = [(core.coverage_by(box), -box.area, -i) for i, box in enumerate(boxes)]
        share, _, place = max(shares, default=(0.0, 0.0, 0))
        if share >= _HELD:
            held[-place].append(line)
    return [tuple(own) for own in held]
