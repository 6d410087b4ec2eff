"""The order that paddlex 3.7.2 itself gives a generated page: what the engine `paddlex` asks it for."""

from layout_stage.engines.paddlex_order import blocks_in_order
from tests.layout_stage.block_order.typesetter import GeneratedPage


def paddlex_order(page: GeneratedPage) -> list[int]:
    """The indexes of a page's parts as paddlex reads them.

    Raises:
        RuntimeError: paddlex dropped a part.
    """
    order = blocks_in_order(page.parts, page.areas)
    if sorted(order) != list(range(len(page.parts))):
        raise RuntimeError(f"{page.name}: not all parts come back: {order}")
    return order
