"""Batches of lines of one width in merged patches, with the dense targets that the renderer knows.

The pictures go through the steps of transformers' `PaddleOCRVLImageProcessorPil` (5.24): bicubic to multiples
of 28, (x / 255 - 0.5) / 0.5, patches of 14 in raster order; in one channel, since all lines are grey.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from samples.toy_reader import vocabulary
from samples.toy_reader.lines import Line, random_line
from samples.toy_reader.wording import ALPHABET, is_held_out, random_text

PATCH, MERGED = 14, 28
SLOTS = 4
"""Characters that may have their middle in one merged patch."""
WIDEST = 14
"""Merged patches of the widest line."""
BLANK, END_CLASS = 0, len(ALPHABET) + 1
CLASSES = len(ALPHABET) + 2
"""What may stand in a place: nothing, a character, the end of the text."""
IGNORED = -100


@dataclass(frozen=True, slots=True)
class Example:
    """One line. W is its width in merged patches.

    patches: float32 [2 * 2W, 196].
    column_class, column_count: [2W], the character over the column's middle (0: none), and how many
    characters have their middle before the column.
    slot_class, token_count: [W, SLOTS] and [W], the same for merged patches.
    place: [n + 1, 2], merged patch and slot of each character and of the end.
    """

    text: str
    width: int
    patches: NDArray[np.float32]
    column_class: NDArray[np.int64]
    column_count: NDArray[np.int64]
    slot_class: NDArray[np.int64]
    token_count: NDArray[np.int64]
    place: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Batch:
    """Examples of one width, stacked: `texts`, ids [B, L] without the end; `labels`, [B, L + 1] with it."""

    width: int
    patches: NDArray[np.float32]
    column_class: NDArray[np.int64]
    column_count: NDArray[np.int64]
    slot_class: NDArray[np.int64]
    token_count: NDArray[np.int64]
    place: NDArray[np.int64]
    texts: NDArray[np.int64]
    labels: NDArray[np.int64]


def example(line: Line) -> Example | None:
    """The line as the model sees it; None if it is too wide or too crowded for the targets."""
    height, natural = line.pixels.shape
    width = round(natural / MERGED)
    if not 1 <= width <= WIDEST or round(height / MERGED) != 1:
        return None
    scale = width * MERGED / natural
    middles = np.array([*line.centres, min(line.end + 4, natural - 0.5)]) * scale
    place = _places(middles)
    if place[:, 1].max() >= SLOTS:
        return None
    classes = np.array([*(1 + ALPHABET.index(c) for c in line.text), END_CLASS])
    slot_class = np.zeros((width, SLOTS), np.int64)
    slot_class[place[:, 0], place[:, 1]] = classes
    columns = np.arange(2 * width) * PATCH
    return Example(
        text=line.text,
        width=width,
        patches=patchify(line.pixels, width),
        column_class=_covering(line, classes, (columns + PATCH / 2) / scale),
        column_count=np.searchsorted(middles, columns),
        slot_class=slot_class,
        token_count=np.searchsorted(middles, np.arange(width) * MERGED),
        place=place,
    )


def patchify(pixels: NDArray[np.uint8], width: int) -> NDArray[np.float32]:
    """A grey picture as [2 * 2 * width, 196] normalised patches."""
    picture = Image.fromarray(pixels).resize((width * MERGED, MERGED), Image.Resampling.BICUBIC)
    values = np.asarray(picture, np.float32) / 127.5 - 1
    return values.reshape(2, PATCH, 2 * width, PATCH).transpose(0, 2, 1, 3).reshape(-1, PATCH * PATCH)


def _places(middles: NDArray[np.float64]) -> NDArray[np.int64]:
    tokens = (middles // MERGED).astype(np.int64)
    first = np.searchsorted(tokens, tokens)
    return np.stack([tokens, np.arange(len(tokens)) - first], axis=1)


def _covering(line: Line, classes: NDArray[np.int64], points: NDArray[np.float64]) -> NDArray[np.int64]:
    nearest = np.abs(points[:, None] - np.array(line.centres)).argmin(axis=1)
    outside = (points > line.end) | (points < 2 * line.centres[0] - (line.centres[0] + line.end) / 2)
    return np.where(outside, BLANK, classes[nearest])


def random_batches(seed: int, pool: int, size: int, longest: int, lines: int = 2048) -> list[Batch]:
    """The batches of one pool of lines, always the same; texts have at most `longest` characters."""
    rng = np.random.default_rng([seed, pool])
    by_width: dict[int, list[Example]] = defaultdict(list)
    for made in _examples(rng, lines, longest):
        by_width[made.width].append(made)
    batches = [stack(group[i : i + size]) for group in by_width.values() for i in range(0, len(group), size)]
    order = rng.permutation(len(batches))
    return [batches[i] for i in order if len(batches[i].patches) >= size // 4]


def _examples(rng: np.random.Generator, count: int, longest: int) -> Iterator[Example]:
    made = 0
    while made < count:
        text = random_text(rng)
        if len(text) > longest or is_held_out(text):
            continue
        if (one := example(random_line(rng, text))) is not None:
            made += 1
            yield one


def stack(group: list[Example]) -> Batch:
    """Examples of one width as arrays."""
    length = max(len(one.text) for one in group)
    texts = np.full((len(group), length), vocabulary.PAD, np.int64)
    labels = np.full((len(group), length + 1), IGNORED, np.int64)
    place = np.full((len(group), length + 1, 2), IGNORED, np.int64)
    for row, one in enumerate(group):
        ids = vocabulary.encode(one.text)
        texts[row, : len(ids)] = ids
        labels[row, : len(ids) + 1] = [*ids, vocabulary.EOS]
        place[row, : len(ids) + 1] = one.place
    return Batch(
        width=group[0].width,
        patches=np.stack([one.patches for one in group]),
        column_class=np.stack([one.column_class for one in group]),
        column_count=np.stack([one.column_count for one in group]),
        slot_class=np.stack([one.slot_class for one in group]),
        token_count=np.stack([one.token_count for one in group]),
        place=place,
        texts=texts,
        labels=labels,
    )
