from pathlib import Path

import numpy as np
import pytest

from vlm_stage.engines.pp_ocr.ctc import characters_of, decode, read_dictionary
from vlm_stage.reading import Reading


def _steps(*classes: int, count: int = 5, probability: float = 0.9) -> np.ndarray:
    steps = np.full((len(classes), count), (1 - probability) / (count - 1), np.float32)
    steps[np.arange(len(classes)), classes] = probability
    return steps


def test_repetitions_are_one_and_a_blank_parts_what_is_two() -> None:
    reading = decode(_steps(0, 1, 1, 0, 1, 2, 2, 0), characters_of("a\nb\nc\n"))
    assert reading.text == "aab"
    assert reading.confidence == pytest.approx(0.9)


def test_nothing_but_blanks_is_no_text() -> None:
    assert decode(_steps(0, 0, 0), characters_of("a\nb\nc\n")) == Reading("", 0.0)


def test_the_last_class_is_the_space(tmp_path: Path) -> None:
    path = tmp_path / "dictionary.txt"
    path.write_bytes("\u3000\r\n一\n乙\n".encode())
    assert read_dictionary(path) == ("", "\u3000", "一", "乙", " ")
