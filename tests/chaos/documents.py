"""Documents for chaos: a few lines of text on each page, no two alike."""

from random import Random

from tests.orchestrator.pdf_files import text_pdf

_LETTERS = "abcdefghklmnopqrstuvwxyz"
"""Without those whose dots may stand alone."""


_RED = ") Tj ET 1 0 0 rg 0 20 300 40 re f BT 0 g /F1 24 Tf ("
"""Ends a text, paints a red bar at the page's foot, and begins an empty text."""


def document(seed: int, pages: int, lines: int = 5, *, poisoned: bool = False) -> bytes:
    """A PDF of so many pages, each with so many lines of words that the seed chooses.

    The first page of a poisoned one has one more region, at whose sight a stage dies.
    """
    random = Random(seed)
    texts = [_lines([_words(random) for _ in range(lines)]) for _ in range(pages)]
    texts[0] += _RED if poisoned else ""
    return text_pdf(texts, (300, 100 + 64 * lines))


def _words(random: Random) -> str:
    return " ".join("".join(random.choices(_LETTERS, k=random.randint(2, 7))) for _ in range(3))


def _lines(texts: list[str]) -> str:
    """Lines one below the other, as they go into one `Tj` operator."""
    return ") Tj 0 -32 Td (".join(texts)
