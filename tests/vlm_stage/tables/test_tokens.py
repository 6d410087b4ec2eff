from vlm_stage.tables.structure import Cell
from vlm_stage.tables.tokens import cells_of_tokens


def test_cells_skip_the_places_that_spans_from_above_take() -> None:
    tokens = [
        "<thead>",
        "<tr>",
        "<td",
        ' rowspan="2"',
        ">",
        "</td>",
        "<td",
        ' colspan="2"',
        ">",
        "</td>",
        "</tr>",
    ]
    tokens += ["<tr>", "<td></td>", "<td></td>", "</tr>"]
    assert cells_of_tokens(tokens) == [Cell(0, 0, 2, 1), Cell(0, 1, 1, 2), Cell(1, 1), Cell(1, 2)]


def test_a_cell_may_span_both_ways() -> None:
    assert cells_of_tokens(["<tr>", "<td", ' colspan="3"', ' rowspan="2"', ">", "</td>"]) == [
        Cell(0, 0, 2, 3)
    ]


def test_tokens_without_cells_give_none() -> None:
    assert cells_of_tokens(["<thead>", "<tr>", "</tr>"]) == []
