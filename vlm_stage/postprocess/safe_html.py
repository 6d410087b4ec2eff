"""Tables that a model wrote as HTML: their cells and text, and nothing else of it."""

import re
from html import unescape

from vlm_stage.postprocess.html_table import WHOLE_WIDTH, HtmlCell, write_html
from vlm_stage.postprocess.markup import scripts_to_formulas

_NAMES = (
    "table|thead|tbody|tfoot|tr|td|th|caption|colgroup|col|br|p|div|li|ul|ol|span|b|i|u|s|em|strong|sup|sub|font"
    "|center|img|a|h[1-6]|html|body"
)
_ATTRIBUTE = r"""\s+(?:nowrap|[A-Za-z-]+\s?=\s?(?:"[^"<>]*"|'[^'<>]*'|[^\s"'<>/]+))"""
_TAG = re.compile(rf"<(?P<end>/?)(?P<name>{_NAMES})(?P<attributes>(?:{_ATTRIBUTE})*)\s?/?>", re.IGNORECASE)
_CUT_TAG = re.compile(rf"</?(?:(?:{_NAMES})(?:\s[^<>]*)?|[a-z]{{0,8}})", re.IGNORECASE)
_SPAN = re.compile(r"\b(row|col)span\s?=\s?[\"']?\s?(\d+)", re.IGNORECASE | re.ASCII)
_COMMENT = re.compile(r"<!--[^<>]*-->|<!DOCTYPE[^<>]*>", re.IGNORECASE)
_MAX_ROW_SPAN = 65534  # of the HTML standard
_BREAKS = frozenset({"br", "p", "div", "li", "h1", "h2", "h3", "h4", "h5", "h6"})


def html_to_safe_html(source: str) -> str | None:
    """All rows of all tables in the source as one well-formed table; None if there is no cell in it.

    Tags that HTML does not know are text, as is what looks like one; other tags and all attributes but spans
    go. A table inside a cell becomes text of that cell; text outside all cells is a row of its own.
    """
    reader = _Reader()
    end = 0
    source = scripts_to_formulas(_COMMENT.sub("", _without_cut_tag(source)))
    for tag in _TAG.finditer(source):
        reader.add_text(source[end : tag.start()])
        reader.add_tag(tag["name"].lower(), bool(tag["end"]), tag["attributes"])
        end = tag.end()
    reader.add_text(source[end:])
    rows = reader.finished()
    return write_html(rows) if reader.has_cells else None


def _without_cut_tag(source: str) -> str:
    start = source.rfind("<")
    return source[:start] if start >= 0 and _CUT_TAG.fullmatch(source, start) else source


class _Reader:
    """Collects cells as tags and text come."""

    def __init__(self) -> None:
        self.has_cells = False
        self._rows: list[list[HtmlCell]] = []
        self._in_row = False
        self._cell: HtmlCell | None = None
        self._text: list[str] = []
        self._nested = 0

    def add_text(self, text: str) -> None:
        self._text.append(unescape(text).replace("\n", " "))

    def add_tag(self, name: str, is_end: bool, attributes: str) -> None:
        if name in _BREAKS:
            self._text.append("\n")
        elif name == "table" and self._cell is not None and (self._nested or not is_end):
            self._nested += -1 if is_end else 1
            self._text.append("\n")
        elif name in ("tr", "td", "th") and self._nested:
            self._text.append("\n" if name == "tr" else " ")
        elif name in ("tr", "td", "th", "table", "caption"):
            self._end_cell()
            self._begin(name, is_end, attributes)

    def finished(self) -> list[list[HtmlCell]]:
        self._end_cell()
        return self._rows

    def _begin(self, name: str, is_end: bool, attributes: str) -> None:
        if name in ("td", "th"):
            if not is_end:
                self._begin_cell(name, attributes)
            return
        self._in_row = name == "tr" and not is_end
        if self._in_row:
            self._rows.append([])

    def _begin_cell(self, name: str, attributes: str) -> None:
        if not self._in_row:
            self._rows.append([])
            self._in_row = True
        spans = {found[1].lower(): int(found[2][:9]) for found in _SPAN.finditer(attributes)}
        rows = min(max(1, spans.get("row", 1)), _MAX_ROW_SPAN)
        columns = min(max(1, spans.get("col", 1)), WHOLE_WIDTH)
        self._cell = HtmlCell("", rows, columns, name == "th")
        self.has_cells = True

    def _end_cell(self) -> None:
        """Ends the cell, or what text stands outside all cells."""
        text, cell = "".join(self._text), self._cell
        self._text, self._cell, self._nested = [], None, 0
        if cell is not None:
            self._rows[-1].append(HtmlCell(text, cell.row_span, cell.column_span, cell.is_header))
        elif text.strip():
            self._rows.append([HtmlCell(text, column_span=WHOLE_WIDTH)])
            self._in_row = False
