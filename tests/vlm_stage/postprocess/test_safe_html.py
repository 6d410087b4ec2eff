import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.vlm_stage.postprocess.html_tables import TableCell, cells_of, texts_of
from tests.vlm_stage.postprocess.timing import takes_less_than
from vlm_stage.postprocess.safe_html import html_to_safe_html


def _table(source: str) -> str:
    html = html_to_safe_html(source)
    assert html is not None
    return html


def test_spans_and_headers_are_kept_and_nothing_else_of_the_marks() -> None:
    source = (
        "<html><body><table border='1' class='x'>"
        '<thead><tr><th colspan=2 style="color: red">A</th></tr></thead>'
        "<tbody><tr><td onclick='evil()' rowspan='2'><b>1</b></td><td>2</td></tr><tr><td>3</td></tr></tbody>"
        "</table></body></html>"
    )
    assert _table(source) == (
        '<table><tr><th colspan="2">A</th></tr><tr><td rowspan="2">1</td><td>2</td></tr>'
        "<tr><td>3</td></tr></table>"
    )


_PIECES = [
    *(
        "<table>",
        "</table>",
        "<tr>",
        "</tr>",
        "<td>",
        "</td>",
        "<th>",
        "</th>",
        "<td rowspan=2>",
        "<br>",
        "<br/>",
    ),
    *(
        '<td colspan="3">',
        "<td rowspan='99999999999' colspan='9999999999'>",
        "<td rowspan=0 colspan=0>",
        "<p>",
    ),
    *(
        "<script>",
        "</script>",
        "<img src=x onerror=y>",
        "<!--",
        "-->",
        "<![CDATA[",
        "<?php",
        "&lt;",
        "&amp;lt;",
    ),
    *(
        "&#0;",
        "&#x1;",
        "&bogus;",
        "&",
        "<",
        ">",
        '"',
        "text",
        "\n",
        "\x00",
        "\ud800",
        "\uffff",
        "<td rows",
        "<sup>",
    ),
    *("</sup>", r"\(", r"\)", r"\[", "$", "\\"),
]


@given(st.one_of(st.text(), st.lists(st.sampled_from(_PIECES), max_size=40).map("".join)))
def test_any_text_gives_one_well_formed_table_of_allowed_tags_or_nothing(source: str) -> None:
    html = html_to_safe_html(source)
    if html is not None:
        assert cells_of(html, may_overlap=True)
        html.encode()


@given(st.lists(st.sampled_from(_PIECES), max_size=30).map("".join))
def test_what_is_safe_stays_as_it_is(source: str) -> None:
    once = html_to_safe_html(f"<td>{source}")
    assert once is not None
    assert html_to_safe_html(once) == once


@given(st.lists(st.lists(st.text("ab<>&\"' 汉", max_size=5), min_size=1, max_size=4), min_size=1, max_size=4))
def test_texts_of_a_table_come_back(rows: list[list[str]]) -> None:
    def escaped(text: str) -> str:
        return text.replace("&", "&amp;").replace("<", "&lt;")

    source = "".join(f"<tr>{''.join(f'<td>{escaped(text)}</td>' for text in row)}</tr>" for row in rows)
    assert texts_of(_table(f"<table>{source}</table>")) == [text.strip() for row in rows for text in row]


@given(st.data())
def test_a_table_cut_anywhere_is_well_formed(data: st.DataObject) -> None:
    source = (
        '<table><tr><td rowspan="2">a &lt; 1</td><th colspan="2">b<br>c</th></tr><tr><td>d</td></tr></table>'
    )
    html = html_to_safe_html(source[: data.draw(st.integers(0, len(source)))])
    if html is not None:
        assert "rows" not in "".join(texts_of(html))


@pytest.mark.parametrize("end", ["<", "</", "</t", "<td", "<td ", "<td rowsp", '<td rowspan="', "</table"])
def test_a_tag_that_was_cut_is_no_text(end: str) -> None:
    assert texts_of(_table(f"<tr><td>a</td><td>b{end}")) == ["a", "b"]


def test_what_only_looks_like_a_tag_is_text() -> None:
    assert texts_of(_table("<td>p<0.05, a<b and c>d<script>alert(1)</script></td>")) == [
        "p<0.05, a<b and c>d<script>alert(1)</script>"
    ]


def test_absurd_spans_are_as_wide_as_the_table_and_end_with_it() -> None:
    source = (
        f"<tr><td colspan={10**9}>a</td></tr><tr><td rowspan={10**12}>b</td><td>c</td></tr>"
        "<tr><td>d</td></tr>"
    )
    assert cells_of(_table(source)) == [
        TableCell(0, 0, 1, 2, "a"),
        TableCell(1, 0, 2, 1, "b"),
        TableCell(1, 1, 1, 1, "c"),
        TableCell(2, 1, 1, 1, "d"),
    ]


def test_no_span_reaches_into_text_outside_the_cells() -> None:
    cells = cells_of(_table("<tr><td rowspan=5>a</td><td>b</td></tr>between<tr><td>c</td><td>d</td></tr>"))
    assert [(cell.row, cell.rows, cell.text) for cell in cells] == [
        *((0, 1, "a"), (0, 1, "b"), (1, 1, "between")),
        *((2, 1, "c"), (2, 1, "d")),
    ]


def test_text_between_a_row_and_its_cells_is_a_row_before_them() -> None:
    cells = cells_of(_table("<tr>note<td>a</td><td>b</td></tr>"))
    assert [(cell.row, cell.columns, cell.text) for cell in cells] == [
        (0, 2, "note"),
        (1, 1, "a"),
        (1, 1, "b"),
    ]


def test_a_row_without_cells_goes_and_what_spans_it_is_shorter() -> None:
    source = "<tr><td rowspan=2>a</td><td rowspan=2>b</td></tr><tr></tr><tr><td>c</td><td>d</td></tr>"
    assert _table(source) == "<table><tr><td>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr></table>"


def test_several_tables_are_one_and_text_between_them_is_kept() -> None:
    source = "Here: <table><tr><td>a<td>b</table>and<table><tr><td>c<td>d</table>"
    cells = cells_of(_table(source))
    assert [(cell.row, cell.text) for cell in cells] == [
        *((0, "Here:"), (1, "a"), (1, "b")),
        *((2, "and"), (3, "c"), (3, "d")),
    ]


def test_a_table_in_a_cell_is_text_of_the_cell() -> None:
    source = "<tr><td>a<table><tr><td>b</td><td>c</td></tr></table></td><td>d</td></tr>"
    assert [text.split() for text in texts_of(_table(source))] == [["a", "b", "c"], ["d"]]


def test_text_without_cells_is_no_table() -> None:
    assert html_to_safe_html("a < b <p>c</p> <table></table>") is None


@pytest.mark.parametrize(
    "source",
    [
        "<td>" * 25_000,
        "<td rowspan=65534 colspan=1000>" * 3_000,
        "<tr><td rowspan=65534 colspan=1000></tr>" * 2_500,
        "<td " * 25_000,
        "<td" + " a=b" * 25_000,
        "<td a='" * 14_000,
        "<td a= " * 14_000,
        "<td " + " " * 100_000,
        "<!--" * 25_000,
        "<td><table>" * 9_000,
        "<sup>" * 20_000,
        "&" * 100_000,
        "&#" * 50_000,
    ],
)
def test_time_is_linear_for_any_100_kb(source: str) -> None:
    assert takes_less_than(3.0, lambda: html_to_safe_html(source))
