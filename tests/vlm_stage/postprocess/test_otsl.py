import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.table_parser import parse_table
from tests.vlm_stage.postprocess.html_tables import TableCell, cells_of, is_rectangular, texts_of
from tests.vlm_stage.postprocess.timing import takes_less_than
from vlm_stage.postprocess.otsl import otsl_to_html
from vlm_stage.tables.structure import Cell, tiled

_TAGS = ["<fcel>", "<ecel>", "<lcel>", "<ucel>", "<xcel>", "<ched>", "<rhed>", "<srow>", "<nl>"]


def _table(source: str) -> str:
    html = otsl_to_html(source)
    assert html is not None
    return html


def test_a_plain_table() -> None:
    source = "<fcel>Item<fcel>Price<nl><fcel>Desk<fcel>120.00<nl><fcel>Lamp<ecel><nl>"
    assert _table(source) == (
        "<table><tr><td>Item</td><td>Price</td></tr><tr><td>Desk</td><td>120.00</td></tr>"
        "<tr><td>Lamp</td><td></td></tr></table>"
    )


def test_cells_that_span_columns_rows_and_both() -> None:
    source = "<fcel>a<lcel><fcel>b<nl><fcel>c<fcel>d<lcel><nl><ucel><ucel><xcel><nl><fcel>e<fcel>f<fcel>g<nl>"
    assert cells_of(_table(source)) == [
        TableCell(0, 0, 1, 2, "a"),
        TableCell(0, 2, 1, 1, "b"),
        TableCell(1, 0, 1, 1, "c"),
        TableCell(1, 1, 1, 2, "d"),
        TableCell(2, 0, 1, 1, "e"),
        TableCell(2, 1, 1, 1, "f"),
        TableCell(2, 2, 1, 1, "g"),
    ]  # the third row begins no cell: it is not written, and nothing spans it


def test_a_cell_that_spans_rows_and_columns() -> None:
    source = "<fcel>a<lcel><fcel>b<nl><ucel><xcel><fcel>c<nl><fcel>d<fcel>e<fcel>f<nl>"
    assert cells_of(_table(source))[:3] == [
        TableCell(0, 0, 2, 2, "a"),
        TableCell(0, 2, 1, 1, "b"),
        TableCell(1, 2, 1, 1, "c"),
    ]


@st.composite
def _tilings(draw: st.DrawFn) -> tuple[int, int, tuple[Cell, ...]]:
    rows, columns = draw(st.integers(1, 6)), draw(st.integers(1, 6))
    spans = draw(
        st.lists(
            st.builds(Cell, st.integers(0, 5), st.integers(0, 5), st.integers(1, 4), st.integers(1, 4)),
            max_size=5,
        )
    )
    return rows, columns, tiled(rows, columns, spans)


def _written(rows: int, columns: int, cells: tuple[Cell, ...], tags: str = "fcel") -> str:
    places = {
        (row, column): "lcel" if row == cell.row else "ucel" if column == cell.column else "xcel"
        for cell in cells
        for row in cell.rows
        for column in cell.columns
    }
    names = {(cell.row, cell.column): f"r{cell.row}c{cell.column}" for cell in cells}
    lines = (
        "".join(
            f"<{tags}>{names[place]}" if place in names else f"<{places[place]}>"
            for place in ((row, column) for column in range(columns))
        )
        for row in range(rows)
    )
    return "".join(f"{line}<nl>" for line in lines)


@given(_tilings(), st.sampled_from(["fcel", "ched", "rhed", "srow"]))
def test_every_grid_that_is_written_comes_back(tiling: tuple[int, int, tuple[Cell, ...]], tag: str) -> None:
    rows, columns, cells = tiling
    used_rows = sorted({cell.row for cell in cells})
    used_columns = sorted({cell.column for cell in cells})
    assert cells_of(_table(_written(rows, columns, cells, tag))) == [
        TableCell(
            used_rows.index(cell.row),
            used_columns.index(cell.column),
            sum(row in cell.rows for row in used_rows),
            sum(column in cell.columns for column in used_columns),
            f"r{cell.row}c{cell.column}",
            tag != "fcel",
        )
        for cell in cells
    ]


@given(_tilings(), st.data())
def test_a_table_cut_anywhere_is_well_formed_and_has_the_text_before_the_cut(
    tiling: tuple[int, int, tuple[Cell, ...]], data: st.DataObject
) -> None:
    source = _written(*tiling)
    cut = source[: data.draw(st.integers(len("<fcel>"), len(source)))]
    html = _table(cut)
    assert is_rectangular(cells_of(html))
    whole = re.sub("<[^<>]*>?", " ", cut).split()
    assert [text for text in texts_of(html) if text] == whole


_TEXT = st.text("ab <>&\"'\n\\$|汉1", max_size=6)
_SOUP = st.lists(st.one_of(st.sampled_from(_TAGS), _TEXT), max_size=40).map("".join)


@given(_SOUP)
def test_any_order_of_tags_gives_a_rectangle(source: str) -> None:
    html = otsl_to_html(source)
    if html is None:
        assert not any(tag in source for tag in _TAGS if tag != "<nl>")
    else:
        assert is_rectangular(cells_of(html))


@given(st.lists(st.one_of(st.sampled_from(_TAGS), st.text("abc", min_size=1, max_size=3)), max_size=40))
def test_no_text_is_lost_or_moved(pieces: list[str]) -> None:
    html = otsl_to_html("".join(pieces))
    if html is not None:
        joined = "".join(texts_of(html))
        assert joined == "".join(piece for piece in pieces if piece not in _TAGS)


@given(_SOUP)
def test_the_orchestrator_reads_the_same_cells(source: str) -> None:
    html = otsl_to_html(source)
    if html is None:
        return
    table = parse_table(html)
    assert table is not None
    read = [(cell.row_span, cell.column_span, cell.header) for row in table.rows for cell in row]
    assert read == [(cell.rows, cell.columns, cell.is_header) for cell in cells_of(html)]


@given(st.text())
def test_any_text_gives_a_table_or_nothing(source: str) -> None:
    assert otsl_to_html(source) is None
    assert is_rectangular(cells_of(_table(f"<fcel>{source}<nl>")))


@pytest.mark.parametrize(
    ("source", "cells"),
    [
        ("<lcel><fcel>a<nl>", [TableCell(0, 0, 1, 1, ""), TableCell(0, 1, 1, 1, "a")]),
        ("<ucel><fcel>a<nl>", [TableCell(0, 0, 1, 1, ""), TableCell(0, 1, 1, 1, "a")]),
        ("<fcel>a<nl><xcel><nl><fcel>b<nl>", [TableCell(0, 0, 1, 1, "a"), TableCell(1, 0, 1, 1, "b")]),
        (
            "<fcel>a<fcel>b<nl><fcel>c<ucel><nl><fcel>d<xcel><nl>",
            [
                TableCell(0, 0, 1, 1, "a"),
                TableCell(0, 1, 3, 1, "b"),
                TableCell(1, 0, 1, 1, "c"),
                TableCell(2, 0, 1, 1, "d"),
            ],
        ),
        (
            "<fcel>a<lcel><nl><ucel><fcel>b<nl>",
            [TableCell(0, 0, 1, 2, "a"), TableCell(1, 0, 1, 1, ""), TableCell(1, 1, 1, 1, "b")],
        ),
    ],
    ids=[
        "nothing on the left",
        "nothing above",
        "no span at all",
        "a span one way",
        "a span with text in it",
    ],
)
def test_spans_that_do_not_fit_are_read_as_far_as_they_do(source: str, cells: list[TableCell]) -> None:
    assert cells_of(_table(source)) == cells


def test_no_cell_reaches_into_what_a_short_row_lacks() -> None:
    cells = cells_of(_table("<fcel>a<lcel><lcel><nl><ucel><nl><fcel>b<fcel>c<fcel>d<nl>"))
    assert cells[0] == TableCell(0, 0, 1, 3, "a")
    assert is_rectangular(cells)


def test_text_where_a_span_was_meant_is_a_cell() -> None:
    assert texts_of(_table("<fcel>a<lcel>b<nl><fcel>c<fcel>d<nl>")) == ["a", "b", "c", "d"]


def test_text_outside_the_cells_is_a_row_of_its_own() -> None:
    cells = cells_of(_table("Table 2<fcel>a<fcel>b<nl>in thousands"))
    assert [(cell.row, cell.columns, cell.text) for cell in cells] == [
        (0, 2, "Table 2"),
        (1, 1, "a"),
        (1, 1, "b"),
        (2, 2, "in thousands"),
    ]


def test_a_row_that_ends_in_countless_empty_cells_makes_the_others_no_wider() -> None:
    html = _table("<fcel>a<fcel>b<nl><fcel>c<fcel>d<nl><fcel>e<fcel>f" + "<ecel>" * 3000)
    assert max(cell.column for cell in cells_of(html)) == 1


def test_columns_in_which_no_cell_begins_are_left_out() -> None:
    assert cells_of(_table("<fcel>a<lcel><lcel><nl><fcel>b<lcel><lcel><nl>")) == [
        TableCell(0, 0, 1, 1, "a"),
        TableCell(1, 0, 1, 1, "b"),
    ]


def test_lines_formulas_and_scripts_in_cells_are_kept() -> None:
    html = _table(r"<fcel>first<br>second" + "\n" + r"third<fcel>\( \pm \)5 < 6<fcel>10<sup>5</sup><nl>")
    assert texts_of(html) == ["first\nsecond\nthird", r"$\pm$ 5 < 6", "10$^{5}$"]


def test_closing_and_self_closing_tags_are_understood() -> None:
    assert texts_of(_table("<otsl><fcel>a</fcel><fcel>b</fcel><nl/><fcel>c<ecel/><nl></otsl>")) == [
        *("a", "b"),
        *("c", ""),
    ]


@pytest.mark.parametrize(
    "source",
    [
        "<fcel>x<nl>" * 9_000,
        "<ecel>" * 16_000,
        "<fcel>x" * 8_000 + "<nl>" + "<ecel><nl>" * 5_000,
        ("<fcel>" + "<lcel>" * 100 + "<nl>") * 160,
        ("<fcel>" + "<lcel>" * 80 + "<nl>") + ("<ucel>" + "<xcel>" * 79 + "<fcel><nl>") * 200,
        "<" * 100_000,
        "<fcel" * 20_000,
        "<fcel " * 16_000,
        "<fcel><sup>" * 9_000,
        r"<fcel>\(" * 12_000,
    ],
)
def test_time_is_linear_for_any_100_kb(source: str) -> None:
    assert takes_less_than(3.0, lambda: otsl_to_html(source))
    html = otsl_to_html(source)
    assert html is None or len(html) < 25 * len(source)
