"""What becomes of the text that a VLM wrote about a region, by the region's kind."""

from dataclasses import dataclass

from arcscribe.types import RegionKind, SpottedText, TextFormat
from vlm_stage.postprocess.characters import legal_text
from vlm_stage.postprocess.charts import chart_to_html
from vlm_stage.postprocess.latex import formula_latex, formula_number, normalize_delimiters
from vlm_stage.postprocess.otsl import otsl_to_html
from vlm_stage.postprocess.repetition import MIN_LENGTH, MIN_TABLE_LENGTH, without_repetition
from vlm_stage.postprocess.safe_html import html_to_safe_html
from vlm_stage.postprocess.spotting import parse_spotting
from vlm_stage.postprocess.unwrap_lines import one_line, unwrap_lines
from vlm_stage.recognizer import TITLES, Content, shortened

_PICTURES = frozenset(
    {RegionKind.IMAGE, RegionKind.HEADER_IMAGE, RegionKind.FOOTER_IMAGE, RegionKind.SEAL, RegionKind.CHART}
)
_TABLES = frozenset({RegionKind.TABLE, RegionKind.CHART})
_RUNNING_TEXT = frozenset(
    {
        RegionKind.TEXT,
        RegionKind.VERTICAL_TEXT,
        RegionKind.ABSTRACT,
        RegionKind.REFERENCE,
        RegionKind.FOOTNOTE,
        RegionKind.ASIDE_TEXT,
    }
)
"""Kinds in which a line may end because the column does; in all others each line is one for itself."""

_NO_END = "\ufffd \n\t"
"""What a text does not end in; U+FFFD is what a decoder makes of a character that was cut."""


@dataclass(frozen=True, slots=True)
class Cleaned:
    """Text without repetition; `was_cut` where there was some."""

    text: str
    was_cut: bool


@dataclass(frozen=True, slots=True)
class Composed:
    """What a region says; `was_cut` where the model repeated itself, which is cut off.

    `spotted` are the lines that have places, in the crop's pixels, where these were asked for.
    """

    content: Content
    was_cut: bool
    spotted: tuple[SpottedText, ...] = ()


def clean_generated(kind: RegionKind, raw: str) -> Cleaned:
    r"""The output without repetition and characters that no text holds, line ends `\n`.

    The loss of such characters, and of blanks at the end, is no cut. Idempotent.
    """
    return _cleaned(raw, MIN_TABLE_LENGTH if kind in _TABLES else MIN_LENGTH)


def _cleaned(raw: str, least: int) -> Cleaned:
    whole = legal_text(raw).rstrip(_NO_END)
    before, text = None, whole
    while text != before:
        before, text = text, without_repetition(text.rstrip(_NO_END), least)
    return Cleaned(text, was_cut=len(text) < len(whole))


def compose_generated(kind: RegionKind, raw: str, confidence: float | None) -> Composed:
    """The region's content from the model's output, whole or cut anywhere; linear in its length.

    A table is HTML, or plain text where there is no cell in it; a formula LaTeX. A chart is an HTML table,
    or, where there is none in it, a picture like images and seals, with what was read as alternative text: a
    seal is evidence, and its text, read or misread, no substitute for it. All else is plain text, in which
    formulas stand between dollars.

    Args:
        kind: of the region.
        raw: the output, special tokens left out.
        confidence: the engine's, 0 to 1; not used where nothing was read.
    """
    cleaned = clean_generated(kind, raw)
    text, text_format = _written(kind, cleaned.text)
    return Composed(Content(text, text_format, confidence if text else None), cleaned.was_cut)


def compose_spotted(
    kind: RegionKind, raw: str, confidence: float | None, width: int, height: int
) -> Composed:
    """The content of a region whose lines were asked for with their places; linear in the output's length.

    Lines are plain text as they were read, but for a region that stays a picture, where they are its
    alternative text. Repetition is cut as late as in tables, since numbers of places are alike.

    Args:
        kind: of the region.
        raw: the output, special tokens included.
        confidence: the engine's, 0 to 1; not used where nothing was read.
        width: of the crop in pixels.
        height: likewise.
    """
    cleaned = _cleaned(raw, MIN_TABLE_LENGTH)
    spotting = parse_spotting(cleaned.text, width, height)
    if kind in _PICTURES:
        text, text_format = shortened(one_line(spotting.text)), TextFormat.NONE
    else:
        text, text_format = spotting.text, TextFormat.PLAIN
    content = Content(text, text_format, confidence if text else None)
    return Composed(content, cleaned.was_cut, spotting.lines)


def _written(kind: RegionKind, text: str) -> tuple[str, TextFormat]:
    if kind in _TABLES and (table := _table(kind, text)):
        return table, TextFormat.HTML
    if kind is RegionKind.FORMULA:
        return formula_latex(text), TextFormat.LATEX
    if kind in _PICTURES:
        return shortened(one_line(normalize_delimiters(text))), TextFormat.NONE
    return _plain(kind, text), TextFormat.PLAIN


def _table(kind: RegionKind, text: str) -> str | None:
    """The table, in whichever notation this checkpoint prefers."""
    first, *others = (
        (chart_to_html, otsl_to_html, html_to_safe_html)
        if kind is RegionKind.CHART
        else (otsl_to_html, html_to_safe_html, chart_to_html)
    )
    table = first(text)
    for read in others:
        table = table or read(text)
    return table


def _plain(kind: RegionKind, text: str) -> str:
    if kind is RegionKind.ALGORITHM:
        return text.strip("\n")
    if kind is RegionKind.FORMULA_NUMBER:
        return formula_number(text)
    text = normalize_delimiters(text.replace("<nl>", "\n") if kind is RegionKind.TABLE else text)
    if kind in TITLES:
        return one_line(text)
    if kind in _RUNNING_TEXT:
        return unwrap_lines(text)
    return "\n".join(line.strip() for line in text.strip().split("\n"))
