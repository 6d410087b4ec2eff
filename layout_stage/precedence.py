"""Breuel's order of boxes that no straight cut parts.

Breuel, "High Performance Document Layout Analysis", 2003: of two boxes in one column the upper one comes
first, and of two beside each other the left one, unless something between them reaches over both.
"""

from collections.abc import Sequence

from arcscribe.types import Box
from layout_stage.parts import overlap


def by_precedence(items: list[int], boxes: dict[int, Box]) -> list[int]:
    """Items in an order in which each comes after what stands above it in its column or wholly left of it."""
    rest = sorted(items, key=lambda i: (boxes[i].top, boxes[i].left))
    ordered: list[int] = []
    while rest:
        free = [i for i in rest if not any(_precedes(j, i, rest, boxes) for j in rest if j != i)]
        chosen = (free or rest)[0]
        ordered.append(chosen)
        rest.remove(chosen)
    return ordered


def _precedes(a: int, b: int, items: Sequence[int], boxes: dict[int, Box]) -> bool:
    first, second = boxes[a], boxes[b]
    if overlap(first.left, first.right, second.left, second.right) > 0:
        return first.center[1] < second.center[1]
    if first.right > second.left:
        return False
    between = (
        boxes[k]
        for k in items
        if k not in (a, b)
        and overlap(boxes[k].left, boxes[k].right, first.left, first.right) > 0
        and overlap(boxes[k].left, boxes[k].right, second.left, second.right) > 0
    )
    low, high = sorted((first.center[1], second.center[1]))
    return not any(low < box.center[1] < high for box in between)
