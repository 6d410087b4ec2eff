import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.vlm_stage.postprocess.html_tables import TableCell, cells_of, is_rectangular, texts_of
from tests.vlm_stage.postprocess.timing import takes_less_than
from vlm_stage.postprocess.charts import chart_to_html


def _table(source: str) -> str:
    html = chart_to_html(source)
    assert html is not None
    return html


def test_the_first_line_is_the_head() -> None:
    assert _table("Year | Sales\n2023 | 53%\n2024 | 61%") == (
        "<table><tr><th>Year</th><th>Sales</th></tr><tr><td>2023</td><td>53%</td></tr>"
        "<tr><td>2024</td><td>61%</td></tr></table>"
    )


def test_lines_may_be_parted_by_the_token_of_a_line_end() -> None:
    assert texts_of(_table("a|b<0x0A>1|2<0x0A>")) == ["a", "b", "1", "2"]
    assert texts_of(_table("a|b\\n1|2")) == ["a", "b", "1", "2"]


def test_markdown_tables_are_understood() -> None:
    assert texts_of(_table("| a | b |\n|---|:-:|\n| 1 | |\n")) == ["a", "b", "1", ""]


def test_a_written_line_end_is_no_start_of_a_command() -> None:
    assert texts_of(_table(r"\(\nu\) | b\n1 | 2")) == [r"$\nu$", "b", "1", "2"]


def test_an_empty_first_column_is_one() -> None:
    assert texts_of(_table(" | a | b\n | c | d")) == ["", "a", "b", "", "c", "d"]


def test_pipes_behind_an_opening_without_an_end_part_cells() -> None:
    assert texts_of(_table("\\(a | b\n1 | 2")) == ["a", "b", "1", "2"]


def test_an_empty_corner_is_a_cell() -> None:
    assert texts_of(_table(" | 2020 | 2021\nA | 1 | 2")) == ["", "2020", "2021", "A", "1", "2"]


def test_a_line_without_pipes_is_a_row_of_its_own() -> None:
    cells = cells_of(_table("Sales by year\nYear | Sales\n2023 | 53\n2024"))
    assert cells[0] == TableCell(0, 0, 1, 2, "Sales by year", True)
    assert cells[-1] == TableCell(3, 0, 1, 2, "2024", False)


def test_pipes_of_formulas_part_no_cells() -> None:
    assert texts_of(_table(r"x | y = \( |x| \)" + "\n" + r"1 | a\|b")) == ["x", "y = |x|", "1", "a|b"]


def test_text_is_no_table() -> None:
    assert chart_to_html("A line | with a pipe\nand one without") is None
    assert chart_to_html("No axis is labelled.") is None
    assert chart_to_html("") is None


@pytest.mark.parametrize("source", ["|\n|", "--|--\n:-:|--", " | \n | "])
def test_pipes_and_rules_alone_are_no_table(source: str) -> None:
    assert chart_to_html(source) is None


_CELL = st.text("ab1 <&汉.", max_size=4)


@given(st.lists(st.lists(_CELL, min_size=2, max_size=5), min_size=2, max_size=6))
def test_every_row_comes_back_and_all_are_as_long(rows: list[list[str]]) -> None:
    rows = [["x", *row, "y"] for row in rows]
    html = _table("\n".join("|".join(row) for row in rows))
    width = max(map(len, rows))
    padded = [text.strip() for row in rows for text in row + [""] * (width - len(row))]
    assert texts_of(html) == padded
    assert is_rectangular(cells_of(html))


@given(st.text("ab|\\n\n-: <0x0A>()", max_size=60) | st.text("|-\n", max_size=12))
def test_any_text_gives_a_rectangle_or_nothing(source: str) -> None:
    html = chart_to_html(source)
    if html is not None:
        assert is_rectangular(cells_of(html))


@pytest.mark.parametrize(
    "source",
    [
        "a|b\n" * 25_000,
        "|" * 100_000 + "\na|b",
        "|" * 50_000 + "\na|b" * 10_000,
        "\\(|" * 33_000,
        "\\(" * 50_000,
    ],
)
def test_time_is_linear_for_any_100_kb(source: str) -> None:
    assert takes_less_than(3.0, lambda: chart_to_html(source))
