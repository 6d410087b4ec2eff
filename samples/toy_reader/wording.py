"""Invented amounts, dates, times and shares: what the toy reader learns to read."""

import zlib
from collections.abc import Callable

import numpy as np

CJK = "年月日元"
SIGNS = ".,-/:¥$%()+ "
ALPHABET = "0123456789" + SIGNS + CJK
LONGEST = 20
"""Characters of the longest text made here."""
HELD_OUT = 20
"""One text in so many is never trained on."""


def is_held_out(text: str) -> bool:
    """Whether training leaves that text out, whatever it is drawn in."""
    return zlib.crc32(text.encode()) % HELD_OUT == 0


def random_text(rng: np.random.Generator) -> str:
    """An amount, a date, a time, a share or a plain number, of 1 to `LONGEST` characters."""
    make = KINDS[int(rng.choice(len(KINDS), p=WEIGHTS))]
    text = make(rng)
    return " ".join(text[:LONGEST].split())


def _digits(rng: np.random.Generator, count: int) -> str:
    return "".join(str(d) for d in rng.integers(0, 10, count))


def _amount(rng: np.random.Generator) -> str:
    number = int(_digits(rng, int(rng.integers(1, 10))))
    places = int(rng.choice([0, 2, 2]))
    text = f"{number:,}" if rng.random() < 0.75 else str(number)
    if places:
        text += "." + _digits(rng, places)
    if rng.random() < 0.1:
        text = text.translate(str.maketrans(",.", ".,"))
    before = str(rng.choice(["", "", "¥", "$", "¥ ", "$ ", "-", "+", "-$"]))
    if rng.random() < 0.08:
        return f"({before}{text})"
    return before + text + ("元" if rng.random() < 0.12 else "")


def _date(rng: np.random.Generator) -> str:
    year, month, day = int(rng.integers(1900, 2100)), int(rng.integers(1, 13)), int(rng.integers(1, 32))
    shapes = (
        f"{year}-{month:02}-{day:02}",
        f"{year}/{month:02}/{day:02}",
        f"{year}.{month:02}.{day:02}",
        f"{day:02}/{month:02}/{year}",
        f"{month}/{day}/{year % 100:02}",
        f"{year}年{month}月{day}日",
        f"{year}年{month}月",
        f"{month}月{day}日",
    )
    return str(rng.choice(shapes))


def _time(rng: np.random.Generator) -> str:
    hour, minute, second = int(rng.integers(0, 24)), int(rng.integers(0, 60)), int(rng.integers(0, 60))
    return f"{hour:02}:{minute:02}" + (f":{second:02}" if rng.random() < 0.5 else "")


def _moment(rng: np.random.Generator) -> str:
    return f"{_date(rng)} {_time(rng)}"


def _share(rng: np.random.Generator) -> str:
    sign = str(rng.choice(["", "", "-", "+"]))
    return sign + str(rng.integers(0, 101)) + ("." + _digits(rng, 1 + int(rng.integers(0, 2)))) + "%"


def _number(rng: np.random.Generator) -> str:
    return _digits(rng, int(rng.integers(1, LONGEST - 1)))


def _range(rng: np.random.Generator) -> str:
    low, high = int(rng.integers(0, 10_000)), int(rng.integers(0, 100_000))
    return f"{low:,}{rng.choice(['-', ' - ', '/', ' / '])}{high:,}"


def _mixture(rng: np.random.Generator) -> str:
    return "".join(rng.choice(list(ALPHABET), int(rng.integers(1, 13)))).strip() or "0"


KINDS: tuple[Callable[[np.random.Generator], str], ...] = (
    _amount, _date, _time, _moment, _share, _number, _range, _mixture,
)  # fmt: skip
WEIGHTS = (0.34, 0.2, 0.06, 0.1, 0.07, 0.09, 0.06, 0.08)
