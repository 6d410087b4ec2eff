"""Tables as trees, and their likeness.

TEDS is the tree-edit-distance-based similarity of Zhong, ShafieiBavani and Jimeno Yepes, "Image-based table
recognition: data, model, and evaluation" (ECCV 2020), over rows and cells.
"""

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

from apted import APTED
from rapidfuzz.distance import Levenshtein

from samples.plain_text import plain

HTML_TABLE = re.compile(r"<table\b.*?</table\s*>", re.IGNORECASE | re.DOTALL)
PIPE_TABLE = re.compile(r"(?:^[ \t]*\|.*\|[ \t]*(?:\n|\Z)){2,}", re.MULTILINE)
PIPE = re.compile(r"(?<!\\)\|")
DASHES = re.compile(r"\s*:?-+:?\s*")


@dataclass(slots=True)
class Node:
    """A table, a row or a cell; `span` is a cell's (rowspan, colspan)."""

    tag: str
    span: tuple[int, int] = (1, 1)
    text: str = ""
    children: list["Node"] = field(default_factory=list)

    @property
    def size(self) -> int:
        return 1 + sum(child.size for child in self.children)


class TableReader(HTMLParser):
    """Builds the tree of the outermost table; a table inside a cell counts as the cell's text."""

    def __init__(self) -> None:
        super().__init__()
        self.table = Node("table")
        self.depth = 0
        self.cell: Node | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "table":
            self.depth += 1
        if self.depth > 1:
            return
        if tag == "tr" or (tag in ("td", "th") and not self.table.children):
            self.table.children.append(Node("tr"))
        if tag in ("td", "th"):
            given = dict(attrs)
            self.cell = Node("td", (span_of(given.get("rowspan")), span_of(given.get("colspan"))))
            self.table.children[-1].children.append(self.cell)

    def handle_endtag(self, tag: str) -> None:
        if tag == "table":
            self.depth -= 1
        elif tag in ("td", "th", "tr") and self.depth == 1:
            self.cell = None

    def handle_data(self, data: str) -> None:
        if self.cell is not None:
            self.cell.text += data + " "


def span_of(attribute: str | None) -> int:
    digits = re.match(r"\d+", attribute or "")
    return max(1, int(digits[0])) if digits else 1


def tree_of_html(source: str) -> Node:
    """The tree of a `<table>`; head cells count as cells, sections are ignored."""
    reader = TableReader()
    reader.feed(source)
    reader.close()
    for row in reader.table.children:
        for cell in row.children:
            cell.text = plain(cell.text)
    return reader.table


def tree_of_pipes(source: str) -> Node:
    """The tree of a Markdown table with `|` between its cells."""
    lines = [
        PIPE.split(line.strip().removeprefix("|").removesuffix("|")) for line in source.strip().splitlines()
    ]
    rows = [cells for cells in lines if not all(DASHES.fullmatch(cell) for cell in cells)]
    made = [[Node("td", text=plain(cell.replace("\\|", "|"))) for cell in cells] for cells in rows]
    return Node("table", children=[Node("tr", children=cells) for cells in made])


def split_tables(markdown: str) -> tuple[list[Node], str]:
    """The tables of a Markdown document in order, and the document without them."""
    spots = [(m.start(), m.end(), tree_of_html(m[0])) for m in HTML_TABLE.finditer(markdown)]
    without_html = HTML_TABLE.sub(lambda m: " " * len(m[0]), markdown)
    spots += [(m.start(), m.end(), tree_of_pipes(m[0])) for m in PIPE_TABLE.finditer(without_html)]
    spots.sort(key=lambda spot: spot[0])
    rest, at = [], 0
    for start, end, _ in spots:
        rest.append(markdown[at:start])
        at = end
    return [tree for *_, tree in spots], "\n\n".join([*rest, markdown[at:]])


@dataclass(frozen=True, slots=True)
class EditCosts:
    """What APTED asks for: 1 for a row or cell too many or missing, the share of wrong letters else."""

    structure_only: bool
    valuecls: type[float] = float

    def delete(self, _: Node) -> float:
        return 1.0

    def insert(self, _: Node) -> float:
        return 1.0

    def rename(self, one: Node, other: Node) -> float:
        if (one.tag, one.span) != (other.tag, other.span):
            return 1.0
        return 0.0 if self.structure_only else Levenshtein.normalized_distance(one.text, other.text)

    def children(self, node: Node) -> list[Node]:
        return node.children


def likeness(one: Node, other: Node, *, structure_only: bool = False) -> float:
    """TEDS of two tables, 0 to 1; the root, which always agrees, is not counted."""
    nodes = max(one.size, other.size) - 1
    if nodes == 0:
        return 1.0
    distance = float(APTED(one, other, EditCosts(structure_only)).compute_edit_distance())
    return max(0.0, 1 - distance / nodes)
