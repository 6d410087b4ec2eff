"""The file with the orders that paddlex gave; `tests.reference_paddlex_order.orders` writes it."""

from hashlib import sha256
from pathlib import Path

from arcscribe.types import Box
from tests.layout_stage.block_order.typesetter import GeneratedPage

FIXTURE = Path(__file__).parent / "paddlex_orders.json"


def digest(page: GeneratedPage) -> str:
    """What tells whether a page is still the one that paddlex ordered."""
    parts = [(part.label, _edges(part.box), [_edges(line.box) for line in part.lines]) for part in page.parts]
    return sha256(repr((parts, [_edges(area) for area in page.areas])).encode()).hexdigest()[:16]


def _edges(box: Box) -> tuple[int, int, int, int]:
    return int(box.left), int(box.top), int(box.right), int(box.bottom)
