from hypothesis import given
from hypothesis import strategies as st

from vlm_stage.engines.paddleocr_vl.inputs.rope_positions import prompt_positions

texts = st.integers(0, 30)
even = st.integers(1, 50).map(lambda half: 2 * half)


def test_an_image_counts_rows_and_columns_where_the_text_stopped() -> None:
    positions = prompt_positions(3, 4, 6, 2)
    assert positions.ids.tolist() == [
        [0, 1, 2, 3, 3, 3, 3, 3, 3, 6, 7],
        [0, 1, 2, 3, 3, 3, 4, 4, 4, 6, 7],
        [0, 1, 2, 3, 4, 5, 3, 4, 5, 6, 7],
    ]
    assert positions.delta == -3


@given(before=texts, rows=even, columns=even, after=texts)
def test_what_is_generated_goes_on_where_the_prompt_stops(
    before: int, rows: int, columns: int, after: int
) -> None:
    positions = prompt_positions(before, rows, columns, after)
    length = before + rows * columns // 4 + after
    assert positions.ids.shape == (3, length)
    assert length + positions.delta == positions.ids.max() + 1


@given(before=texts, rows=even, columns=even, after=texts)
def test_text_counts_up_in_all_three_and_image_tokens_differ(
    before: int, rows: int, columns: int, after: int
) -> None:
    ids = prompt_positions(before, rows, columns, after).ids
    tokens = rows * columns // 4
    assert (ids[:, :before] == ids[0, :before]).all()
    assert ids[0, :before].tolist() == list(range(before))
    start = before + max(rows, columns) // 2
    assert (ids[:, before + tokens :] == range(start, start + after)).all()
    image = ids[:, before : before + tokens]
    assert (image[0] == before).all()
    expected = [(before + row, before + column) for row in range(rows // 2) for column in range(columns // 2)]
    assert list(zip(*image[1:].tolist(), strict=True)) == expected
