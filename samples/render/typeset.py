"""Breaks text into lines as a printer would: Chinese by character, Latin by word, both justified."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from PIL.ImageFont import FreeTypeFont

WIDE = r"\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef"
PIECE = re.compile(rf"\s+|[{WIDE}]|[^{WIDE}\s]+")
NEVER_FIRST = frozenset("，。、；：！？）》】」』”’％…—")
NEVER_LAST = frozenset("（《【「『“‘")
CONSONANT = "[b-df-hj-np-tv-xz]"
SYLLABLE_EDGE = re.compile(f"(?<=[aeiouy]{CONSONANT})(?={CONSONANT}[aeiouy])|(?=(?:tion|ment|sion|ness)s?$)")
INSEPARABLE = frozenset(("th", "sh", "ch", "ph", "wh", "ck", "gh", "tr", "pl", "bl", "dr", "gr", "cr", "pr"))
SHORTEST_HALF = 3


@dataclass(frozen=True, slots=True)
class Piece:
    """A word, a Chinese character or a mark; `gap` is the natural space before it, in pixels."""

    text: str
    width: float
    gap: float
    may_start: bool
    cut: bool = False
    """Whether it is the first half of a word, with a hyphen that the text does not have."""


@dataclass(frozen=True, slots=True)
class Line:
    """Pieces with the x of each, in pixels from the left edge of the column."""

    placed: tuple[tuple[float, str], ...]
    width: float
    cut: bool
    """Whether it ends in a word cut in two."""


def is_wide(character: str) -> bool:
    return re.match(f"[{WIDE}]", character) is not None


def pieces_of(text: str, font: FreeTypeFont) -> list[Piece]:
    """The unbreakable parts of a text; a fifth of an em separates Chinese from Latin letters and digits."""
    found: list[Piece] = []
    space = ""
    for part in PIECE.findall(text):
        if part.isspace():
            space = part
            continue
        before = found[-1].text[-1] if found else ""
        meets = bool(before) and is_wide(before) != is_wide(part[0])
        gap = font.getlength(space)
        if meets and not space and before.isalnum() and part[0].isalnum():
            gap = font.size / 5
        breakable = bool(space) or not before or is_wide(before) or is_wide(part[0])
        may_start = breakable and part[0] not in NEVER_FIRST and before not in NEVER_LAST
        found.append(Piece(part, font.getlength(part), gap, may_start))
        space = ""
    return found


def hyphenation_points(word: str) -> list[int]:
    """Where a plain lower-case English word may be cut: between two consonants or before a common ending."""
    letters = word.rstrip(".,;:)")
    if not letters.isascii() or not letters.isalpha() or not letters[1:].islower():
        return []
    return [
        m.start()
        for m in SYLLABLE_EDGE.finditer(letters)
        if SHORTEST_HALF <= m.start() <= len(letters) - SHORTEST_HALF
        and letters[m.start() - 1 : m.start() + 1] not in INSEPARABLE
    ]


def cut_word(piece: Piece, room: float, font: FreeTypeFont) -> tuple[Piece, Piece] | None:
    """The word in two, the first half with its hyphen fitting into `room` pixels; None where none fits."""
    for at in reversed(hyphenation_points(piece.text)):
        head, tail = piece.text[:at] + "-", piece.text[at:]
        if piece.gap + font.getlength(head) <= room:
            return (
                Piece(head, font.getlength(head), piece.gap, piece.may_start, cut=True),
                Piece(tail, font.getlength(tail), 0.0, True),
            )
    return None


def rows_of(
    pieces: list[Piece], font: FreeTypeFont, room: Iterator[float], hyphenate: bool
) -> list[list[Piece]]:
    """Greedy line breaking; `room` yields the width of each line in pixels."""
    rows: list[list[Piece]] = []
    row: list[Piece] = []
    queue = list(reversed(pieces))
    width, used = next(room), 0.0
    while queue:
        piece = queue.pop()
        advance = piece.width + (piece.gap if row else 0.0)
        if used + advance <= width or not row:
            row.append(piece)
            used += advance
            continue
        halves = cut_word(piece, width - used, font) if hyphenate else None
        if halves:
            row.append(halves[0])
            queue.append(halves[1])
        else:
            queue.append(piece)
            while len(row) > 1 and not queue[-1].may_start:
                queue.append(row.pop())
        rows.append(row)
        row, width, used = [], next(room), 0.0
    return [*rows, row] if row else rows


def placed(row: list[Piece], start: float, stretch_to: float | None) -> Line:
    """A row with the x of each piece, spread to end at `stretch_to` where that is given."""
    natural = start + sum(p.width for p in row) + sum(p.gap for p in row[1:])
    extra = (stretch_to - natural) / (len(row) - 1) if stretch_to is not None and len(row) > 1 else 0.0
    x, spots = start, []
    for index, piece in enumerate(row):
        x += (piece.gap + extra) if index else 0.0
        spots.append((x, piece.text))
        x += piece.width
    return Line(tuple(spots), x, row[-1].cut)


def break_lines(
    text: str,
    font: FreeTypeFont,
    width: float,
    *,
    indent: float = 0.0,
    justify: bool = True,
    hyphenate: bool = False,
) -> list[Line]:
    """The lines of one paragraph in a column of `width` pixels, the first indented by `indent` pixels."""

    def room() -> Iterator[float]:
        yield width - indent
        while True:
            yield width

    rows = rows_of(pieces_of(text, font), font, room(), hyphenate)
    last = len(rows) - 1
    return [
        placed(row, indent if i == 0 else 0.0, width if justify and i < last else None)
        for i, row in enumerate(rows)
    ]
