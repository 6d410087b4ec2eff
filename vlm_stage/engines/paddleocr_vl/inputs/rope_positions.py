"""Positions of tokens for the decoder's M-RoPE: one for time, one for height, one for width."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class PromptPositions:
    """Of a prompt of T tokens: `ids`, int64 of shape (3, T): time, height, width.

    The i-th token of the sequence, counted from 0, has position `i + delta` in all three once the prompt is
    over.
    """

    ids: NDArray[np.int64]
    delta: int


def prompt_positions(
    before: int, rows: int, columns: int, after: int, merge_size: int = 2
) -> PromptPositions:
    """Positions where `before` tokens of text, one image and `after` tokens of text follow one another.

    `rows` and `columns` count patches, both multiples of `merge_size`. Text counts up in all three; an
    image's tokens keep the time at which it starts, and count rows and columns from there; the text after it
    goes on where the longer side ends (`get_rope_index` of transformers 5.24).
    """
    down, across = rows // merge_size, columns // merge_size
    start = before + max(down, across)
    ids = np.empty((3, before + down * across + after), np.int64)
    ids[:, :before] = np.arange(before)
    image = ids[:, before : before + down * across].reshape(3, down, across)
    image[0] = before
    image[1] = before + np.arange(down)[:, None]
    image[2] = before + np.arange(across)
    ids[:, ids.shape[1] - after :] = np.arange(start, start + after)
    return PromptPositions(ids, start + after - ids.shape[1])
