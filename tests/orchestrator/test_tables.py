from collections.abc import Sequence
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from orchestrator.table_parser import parse_table
from orchestrator.tables import Cell, Table, joined_tables, to_gfm, to_html

texts = st.text(alphabet="ab1 中|\\`*_<>&$-~[](){}#", max_size=12).map(lambda text: " ".join(text.split()))
tables = st.integers(1, 4).flatmap(
    lambda width: st.lists(
        st.lists(texts.map(Cell), min_size=width, max_size=width).map(tuple), min_size=1, max_size=4
    ).map(lambda rows: Table(tuple(rows)))
)


def row(*cells: str) -> tuple[Cell, ...]:
    return tuple(map(Cell, cells))


def test_spans_and_heads_are_read() -> None:
    table = parse_table(
        '<table><tr><th colspan="2">A<br>B</th></tr>'
        "<tr><td rowspan=2>1</td><td>2</td></tr><tr><td>3</td></tr></table>"
    )
    assert table == Table(
        (
            (Cell("A\nB", column_span=2, header=True),),
            (Cell("1", row_span=2), Cell("2")),
            (Cell("3"),),
        )
    )
    assert table.column_count == 2


@pytest.mark.parametrize("source", ["", "no table", "<table></table>", "<table><tr></tr></table>", "<td"])
def test_what_holds_no_cell_is_no_table(source: str) -> None:
    assert parse_table(source) is None


def test_a_table_that_is_cut_off_keeps_its_rows() -> None:
    assert parse_table("<table><tr><td>1</td><td>2</td></tr><tr><td>3") == Table((row("1", "2"), row("3")))


def test_html_in_a_cell_becomes_text() -> None:
    table = parse_table("<table><tr><td>&lt;script&gt;x&lt;/script&gt; <b>bold</b></td></tr></table>")
    assert table is not None
    assert to_html(table) == ("<table>\n<tr><td>&lt;script&gt;x&lt;/script&gt; bold</td></tr>\n</table>")


numbered_rows = st.lists(
    st.lists(st.builds(Cell, st.just(""), st.integers(1, 4), st.integers(1, 3)), max_size=3), max_size=7
).map(
    lambda rows: tuple(
        tuple(replace(cell, text=f"{index}.{number}") for number, cell in enumerate(cells))
        for index, cells in enumerate(rows)
    )
)
"""Rows, some of them without cells, in which each cell has a text of its own."""


def places_of(rows: Sequence[Sequence[Cell]]) -> dict[str, set[tuple[int, int]]]:
    """The rows and columns that each cell takes, placed as HTML places them, but for those past the end."""
    taken: set[tuple[int, int]] = set()
    places: dict[str, set[tuple[int, int]]] = {}
    for row, cells in enumerate(rows):
        column = 0
        for cell in cells:
            while (row, column) in taken:
                column += 1
            ends = min(row + cell.row_span, len(rows)), column + cell.column_span
            places[cell.text] = set(product(range(row, ends[0]), range(column, ends[1])))
            taken |= places[cell.text]
    return places


@given(numbered_rows)
@example(((Cell("a", 3), Cell("b")), (), (Cell("c"),), (Cell("d"), Cell("e"))))
def test_cells_keep_their_columns_where_rows_without_cells_go(rows: tuple[tuple[Cell, ...], ...]) -> None:
    table = parse_table(to_html(Table(rows)))
    kept = [index for index, cells in enumerate(rows) if cells]
    assert places_of(table.rows if table else ()) == {
        text: {(kept.index(row), column) for row, column in taken if row in kept}
        for text, taken in places_of(rows).items()
    }


@given(
    st.lists(
        st.sampled_from(
            ["<", ">", "<table>", "<tr>", "<td", "</td>", "![", "?", "/", "a", "=", "'", "&", "--"]
        )
    )
)
@example(["<", "![", "1"])
def test_any_source_is_a_table_or_none(parts: list[str]) -> None:
    table = parse_table("".join(parts))
    assert table is None or parse_table(to_html(table)) == table


@given(tables)
def test_a_table_written_as_html_is_read_again(table: Table) -> None:
    assert parse_table(to_html(table)) == table
    assert "\n\n" not in to_html(table)


@given(tables)
def test_a_table_written_as_gfm_has_its_cells(table: Table) -> None:
    plain = Table(tuple(tuple(Cell(c.text.replace("$", "S")) for c in cells) for cells in table.rows))
    tokens = MarkdownIt("gfm-like", {"linkify": False}).parse(to_gfm(plain))
    assert tokens[0].type == "table_open"
    shown = [
        "".join(child.content for child in token.children or []) for token in tokens if token.type == "inline"
    ]
    assert shown == [cell.text for cells in plain.rows for cell in cells]


def test_gfm_refuses_spans_and_fills_short_rows() -> None:
    with pytest.raises(ValueError, match="spans"):
        to_gfm(Table(((Cell("a", column_span=2),),)))
    assert to_gfm(Table((row("a", "b"), row("c")))) == "| a | b |\n| --- | --- |\n| c |  |"


def test_the_head_that_a_continuation_repeats_is_dropped() -> None:
    first = Table((row("No", "Name"), row("1", "a")))
    second = Table((row("No", " Na me"), row("2", "b")))
    assert joined_tables(first, second) == Table((row("No", "Name"), row("1", "a"), row("2", "b")))


def test_tables_of_different_columns_are_two_tables() -> None:
    assert joined_tables(Table((row("a", "b"),)), Table((row("a"),))) is None


def test_a_cell_that_reaches_over_the_end_of_the_page_ends_there() -> None:
    first = Table(((Cell("a", row_span=3), Cell("b")),))
    joined = joined_tables(first, Table((row("c", "d"),)))
    assert joined is not None
    assert joined.rows[0][0].row_span == 1
