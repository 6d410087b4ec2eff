"""From the output of a CTC network to text.

Graves et al., "Connectionist Temporal Classification", ICML 2006.
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vlm_stage.reading import Reading

_BLANK = 0


def characters_of(dictionary: str) -> tuple[str, ...]:
    """The characters by class, from a PP-OCR dictionary of one a line: the blank first and the space last."""
    listed = dictionary.removesuffix("\n").split("\n")
    return ("", *(character.rstrip("\r") for character in listed), " ")


def read_dictionary(path: Path) -> tuple[str, ...]:
    """The characters by class of a dictionary file."""
    return characters_of(path.read_text(encoding="utf-8"))


def decode(probabilities: NDArray[np.float32], characters: tuple[str, ...]) -> Reading:
    """The most likely class of each step, repetitions merged and blanks left out.

    Args:
        probabilities: shape (steps, classes).
        characters: what each class stands for; class 0 is the blank.
    """
    classes = probabilities.argmax(axis=1)
    kept = classes != _BLANK
    kept[1:] &= classes[1:] != classes[:-1]
    steps = np.flatnonzero(kept)
    if not steps.size:
        return Reading("", 0.0)
    text = "".join(characters[index] for index in classes[steps])
    return Reading(text, float(probabilities[steps, classes[steps]].mean()))
