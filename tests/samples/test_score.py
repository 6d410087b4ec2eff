"""What the scorer measures."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samples.score import Truth, read_truth, score, teds, text_edit
from samples.table_trees import split_tables

DOCUMENTS = Path(__file__).parents[2] / "samples" / "documents"
ROWS = [["货物", "数量"], ["显微镜", "4台"], ["扫描仪", "2台"]]

cells = st.text(alphabet="ab12 中文", max_size=5)
tables = st.lists(st.lists(cells, min_size=1, max_size=4), min_size=1, max_size=4)


def html(rows: list[list[str]]) -> str:
    return "<table>" + "".join(f"<tr>{''.join(f'<td>{c}</td>' for c in r)}</tr>" for r in rows) + "</table>"


def pipes(rows: list[list[str]]) -> str:
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([lines[0], "| --- | --- |", *lines[1:]])


@given(st.text(max_size=200))
def test_a_text_is_at_no_distance_from_itself(text: str) -> None:
    assert text_edit(text, text) == 0


@given(tables, tables)
def test_teds_is_1_for_itself_and_symmetric_and_within_bounds(
    one: list[list[str]], other: list[list[str]]
) -> None:
    assert teds(html(one), html(one)) == 1
    forth, back = teds(html(one), html(other)), teds(html(other), html(one))
    assert forth == pytest.approx(back)
    assert 0 <= forth <= 1
    assert teds(html(one), html(other), structure_only=True) >= forth - 1e-9


def test_markup_and_white_space_do_not_count_as_text() -> None:
    marked = "# 合 同\n\n- **甲方**：云岭 <!-- page 1 -->\n![seal](a.png)\n\n[link](http://a.b) A&amp;B"
    assert text_edit(marked, "合同 甲方:云岭 link A&B") == 0


def test_one_wrong_letter_of_ten_is_a_tenth() -> None:
    assert text_edit("abcdefghiX", "abcdefghij") == pytest.approx(0.1)
    assert text_edit("", "abc") == 1


def test_swapped_paragraphs_cost() -> None:
    assert text_edit("second\n\nfirst", "first\n\nsecond") > 0.5


def test_a_changed_cell_costs_its_share_of_wrong_letters_over_all_rows_and_cells() -> None:
    changed = [*ROWS[:2], ["扫描仪", "3台"]]
    assert teds(html(changed), html(ROWS)) == pytest.approx(1 - 0.5 / 9)
    assert teds(html(changed), html(ROWS), structure_only=True) == 1


def test_a_missing_row_costs_the_row_and_its_cells() -> None:
    assert teds(html(ROWS[:2]), html(ROWS)) == pytest.approx(1 - 3 / 9)
    assert teds(html(ROWS[:2]), html(ROWS), structure_only=True) == pytest.approx(1 - 3 / 9)


def test_a_wrong_span_costs_its_cell() -> None:
    spanning = '<table><tr><td colspan="2">a</td></tr></table>'
    assert teds("<table><tr><td>a</td></tr></table>", spanning) == pytest.approx(1 - 1 / 2)


def test_head_cells_and_sections_count_as_plain_rows() -> None:
    sections = "<table border=1><thead><tr><th>a</th></tr></thead><tbody><tr><td>b</td></tr></tbody></table>"
    assert teds(sections, html([["a"], ["b"]])) == 1


def test_a_pipe_table_equals_its_html() -> None:
    found = score(f"Before\n\n{pipes(ROWS)}\n\nAfter", Truth("Before After", (html(ROWS),)))
    assert (found.text_edit, found.table_teds, found.tables_pred) == (0, 1, 1)


def test_an_escaped_bar_does_not_end_its_cell() -> None:
    (table,), _ = split_tables("| a\\|b | c |\n| --- | --- |\n")
    assert [cell.text for cell in table.children[0].children] == ["a b", "c"]


def test_each_true_table_takes_the_likest_prediction_and_each_prediction_once() -> None:
    other = [["x", "y"], ["1", "2"]]
    found = score(html(other) + html(ROWS), Truth("", (html(ROWS), html(other))))
    assert found.table_teds == 1
    once = score(html(ROWS), Truth("", (html(ROWS), html(ROWS))))
    assert once.table_teds == pytest.approx(0.5)


def test_a_table_where_the_truth_has_none_counts_as_text() -> None:
    assert score(html([["a b"]]), Truth("a b")).text_edit == 0
    assert score(html([["a b"]]), Truth("a b")).table_teds is None


def test_the_expected_markdown_of_the_contract_is_perfect() -> None:
    markdown = (DOCUMENTS / "contract.expected.md").read_text(encoding="utf-8")
    found = score(markdown, read_truth(DOCUMENTS / "contract.truth.json"))
    assert (found.text_edit, found.table_teds, found.table_teds_s) == (0, 1, 1)


def test_the_command_prints_one_line_of_json() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "samples.score", "contract.expected.md", "contract.truth.json"],
        cwd=DOCUMENTS,
        env={"PYTHONPATH": str(DOCUMENTS.parents[1])},
        capture_output=True,
        check=True,
        timeout=60,
    )
    assert json.loads(run.stdout)["text_edit"] == 0
