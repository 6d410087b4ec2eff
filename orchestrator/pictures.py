"""The regions that stay pictures, cut out of the page as PNG files."""

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np

from arcscribe.events import Picture
from arcscribe.types import Block, Box, RegionText, RgbImage, TextFormat
from orchestrator.crops import SMALLEST_SIDE


def cut_pictures(
    page_number: int, page: RgbImage, blocks: Sequence[Block]
) -> tuple[tuple[Block, ...], tuple[Picture, ...]]:
    """The blocks, those that stay pictures with the names of theirs, and these pictures.

    The number at a name's end is the region's place in the reading order, from 1, as overlays show it.

    Args:
        page_number: goes into the names, from 1.
        page: uint8 of shape (height, width, 3), RGB, upright.
        blocks: in reading order.
    """
    height, width = page.shape[:2]
    named = tuple(
        _named(f"page-{page_number:04}-{block.region.kind}-{order:03}.png", block, width, height)
        for order, block in enumerate(blocks, start=1)
    )
    pictures = tuple(Picture(block.picture, _png(page, block.region.box)) for block in named if block.picture)
    return named, pictures


def _named(name: str, block: Block, width: int, height: int) -> Block:
    inside = block.region.box.clipped(width, height)
    stays = isinstance(block.result, RegionText) and block.result.format is TextFormat.NONE
    if not stays or min(inside.width, inside.height) < SMALLEST_SIDE:
        return block
    return replace(block, picture=name)


def _png(page: RgbImage, box: Box) -> bytes:
    height, width = page.shape[:2]
    inside = box.clipped(width, height)
    rows = slice(int(inside.top), round(inside.bottom))
    columns = slice(int(inside.left), round(inside.right))
    encoded, data = cv2.imencode(".png", np.ascontiguousarray(page[rows, columns, ::-1]))
    assert encoded
    return bytes(data)
