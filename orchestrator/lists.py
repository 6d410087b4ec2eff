"""Lines of text that are items of a list."""

import re
from dataclasses import dataclass

_BULLET = re.compile(r"[•●◆◇▪▫‣◦⁃∙·➢❖\-–]\s+(?=\S)|[•●◆▪‣◦➢❖](?=\S)")
_ORDERED = re.compile(r"(\d{1,3})([.)])(?:\s+(?=\S)|(?=[^\x00-\x7f]))")
_ENUMERATED = re.compile(r"(?:[（(]\s*(?:\d{1,3}|[a-z]|[ivx]{1,5})\s*[）)]|[①-⑳]|[a-z][)）])\s*(?=\S)")


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines that belong together: an item of a list with that Markdown marker, a paragraph with none."""

    mark: str
    lines: tuple[str, ...]


def split_items(text: str) -> tuple[Lines, ...]:
    """The paragraph and the items of a list that some lines are.

    Lines without a mark belong to the item above them.
    Numbers stay what they are: `1.` and `1)` are Markdown's own, other enumerators stay in a bullet's text.
    """
    parts: list[tuple[str, list[str]]] = []
    for line in text.split("\n"):
        mark, rest = _marker(line)
        if mark or not parts:
            parts.append((mark, [rest]))
        else:
            parts[-1][1].append(rest)
    return tuple(Lines(mark, tuple(lines)) for mark, lines in parts)


def follows(mark: str, before: str) -> bool:
    """Whether Markdown, left to number the items of a list, would give this one its own mark."""
    if before[:1].isdigit() and mark[:1].isdigit():
        return mark == f"{int(before[:-1]) + 1}{before[-1]}"
    return mark == before


def _marker(line: str) -> tuple[str, str]:
    """The Markdown marker of an item, or nothing, and the text behind it."""
    if match := _BULLET.match(line):
        return "-", line[match.end() :]
    if match := _ORDERED.match(line):
        return f"{int(match[1])}{match[2]}", line[match.end() :]
    return ("-", line) if _ENUMERATED.match(line) else ("", line)
