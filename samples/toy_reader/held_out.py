"""Lines of texts that the toy reader was not trained on."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from PIL import Image

from samples.toy_reader.batches import example
from samples.toy_reader.lines import Line, random_line
from samples.toy_reader.wording import is_held_out, random_text

SEED = 7
TRUTH_FILE = "truth.json"


def held_out_lines(count: int, seed: int = SEED) -> Iterator[Line]:
    """Lines of texts that training leaves out, no text twice; always the same.

    Raises:
        MissingFontError: a typeface is not installed.
    """
    rng = np.random.default_rng(seed)
    seen: set[str] = set()
    while len(seen) < count:
        text = random_text(rng)
        if not is_held_out(text) or text in seen:
            continue
        line = random_line(rng, text)
        if example(line) is not None:
            seen.add(text)
            yield line


def face_name(line: Line) -> str:
    """The typeface's name in `samples.render.fonts`, or AILERON."""
    return line.face.name if line.face else "AILERON"


def keep_lines(folder: Path, readings: Sequence[tuple[Line, str]]) -> None:
    """Writes grey PNGs, and in `truth.json` the text of each and what was read: tests need no typefaces."""
    folder.mkdir(parents=True, exist_ok=True)
    truth = []
    for number, (line, read) in enumerate(readings):
        name = f"{number:02}.png"
        Image.fromarray(line.pixels).save(folder / name, optimize=True)
        truth.append({"picture": name, "face": face_name(line), "text": line.text, "read": read})
    text = json.dumps(truth, indent=1, ensure_ascii=False)
    (folder / TRUTH_FILE).write_text(text + "\n", encoding="utf-8")
