"""What speaks against a structure."""

from hypothesis import given
from hypothesis import strategies as st

from arcscribe.types import Box
from vlm_stage.tables.fit import misfit
from vlm_stage.tables.structure import Cell, Structure, tiled

HEIGHT = 20.0
TEXTS = [Box(x, y, x + 60, y + HEIGHT) for y in (10, 50) for x in (10, 110)]


def grid(rows: tuple[float, ...], columns: tuple[float, ...], *spans: Cell) -> Structure:
    return Structure(rows, columns, tiled(len(rows) - 1, len(columns) - 1, spans))


FITTING = grid((0, 40, 80), (0, 100, 200))


def test_a_text_in_each_cell_fits() -> None:
    assert misfit(FITTING, TEXTS, HEIGHT) == 0


def test_each_fault_weighs_something() -> None:
    faulty = {
        "through a text": grid((0, 40, 80), (0, 40, 200)),
        "a column missed": grid((0, 40, 80), (0, 200)),
        "rows missed": grid((0, 80), (0, 100, 200)),
        "a row invented": grid((0, 40, 80, 120), (0, 100, 200)),
        "a column invented": grid((0, 40, 80), (0, 100, 200, 300)),
    }
    assert [name for name, structure in faulty.items() if misfit(structure, TEXTS, HEIGHT) == 0] == []


def test_an_empty_cell_weighs_less_than_a_text_that_does_not_fit() -> None:
    empty = misfit(FITTING, TEXTS[:3], HEIGHT)
    assert 0 < empty < misfit(grid((0, 40, 80), (0, 40, 200)), TEXTS, HEIGHT)


def test_an_empty_band_weighs_more_than_as_many_empty_cells() -> None:
    diagonal = [TEXTS[0], TEXTS[3]]
    assert misfit(FITTING, diagonal, HEIGHT) < misfit(FITTING, TEXTS[:2], HEIGHT)


@given(
    st.lists(
        st.builds(
            lambda x, y, w, h: Box(x, y, x + w, y + h),
            st.floats(-50, 300),
            st.floats(-50, 200),
            st.floats(1, 200),
            st.floats(1, 60),
        ),
        max_size=12,
    )
)
def test_no_misfit_is_below_nought(texts: list[Box]) -> None:
    assert misfit(FITTING, texts, HEIGHT) >= 0
