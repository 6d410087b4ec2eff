from tests.vlm_stage.builders import text_line
from tests.vlm_stage.tables.drawings import TEXT_HEIGHT, page, write
from vlm_stage.tables.columns import white_columns
from vlm_stage.tables.rules import find_ink
from vlm_stage.tables.split_lines import inked_parts, split_at_columns


def test_a_narrow_white_column_is_seen_although_the_lines_reach_over_it() -> None:
    image = page()
    lines = []
    for y in (20, 60, 100, 140, 180):
        write(image, 20, y, 60)
        write(image, 90, y, 60)
        lines.append(text_line(18, y, 152, y + TEXT_HEIGHT))
    ink = find_ink(image)
    (column,) = white_columns(lines, ink, TEXT_HEIGHT)
    assert 75 < column.position < 92
    parts = split_at_columns(lines, ink, [column])
    assert len(parts) == 10
    assert {round(part.box.left) for part in parts} == {18, round(column.position)}


def test_a_line_with_ink_in_the_column_stays_whole() -> None:
    image = page()
    lines = []
    for y in range(40, 400, 30):
        write(image, 20, y, 60)
        write(image, 90, y, 60)
        lines.append(text_line(18, y, 152, y + TEXT_HEIGHT))
    heading = write(image, 20, 8, 132)
    ink = find_ink(image)
    columns = white_columns([heading, *lines], ink, TEXT_HEIGHT)
    assert len(columns) == 1
    assert split_at_columns([heading], ink, columns) == (heading,)


def test_few_rows_share_a_white_column_by_chance() -> None:
    image = page()
    lines = []
    for y in (20, 60):
        write(image, 20, y, 60)
        write(image, 90, y, 60)
        lines.append(text_line(18, y, 152, y + TEXT_HEIGHT))
    assert white_columns(lines, find_ink(image), TEXT_HEIGHT) == []


def test_the_white_round_a_text_is_cut_off_and_a_line_without_ink_stays() -> None:
    image = page()
    write(image, 40, 20, 60)
    ink = find_ink(image)
    (part,) = inked_parts(text_line(20, 20, 140, 40), ink, 1.0)
    assert 38 <= part.box.left <= 42
    assert 92 <= part.box.right <= 100
    blank = text_line(300, 300, 400, 320)
    assert inked_parts(blank, ink, 1.0) == [blank]
