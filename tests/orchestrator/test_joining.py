from arcscribe.types import Block, Box, RegionKind, TextFormat
from orchestrator.flow import place_blocks
from orchestrator.joining import join_parts
from orchestrator.table_parser import parse_table
from tests.orchestrator.builders import HEIGHT, block, page

LEFT = Box(100, 200, 480, 1300)
RIGHT = Box(520, 200, 900, 400)
FULL = Box(100, 200, 900, 260)
HEAD = "<table><tr><th>No</th><th>Name</th></tr>"


def texts(*pages: tuple[Block, ...]) -> list[str]:
    flow = [
        placed
        for number, blocks in enumerate(pages, start=1)
        for placed in place_blocks(page(number, *blocks), keep_margins=True)
    ]
    return [placed.text for placed in join_parts(flow)]


def test_an_english_paragraph_is_joined_over_the_edge_of_a_column() -> None:
    left, right = (
        block("The seller shall deliv-", box=LEFT, lines=40),
        block("er the goods.", box=RIGHT, region_id=2, lines=8),
    )
    assert texts((left, right)) == ["The seller shall deliver the goods."]


def test_an_english_paragraph_is_joined_over_the_edge_of_a_page_beyond_what_runs_there() -> None:
    first = (
        block("The seller and", lines=2),
        block("Page 1", RegionKind.NUMBER, region_id=2),
        block("1 A note.", RegionKind.FOOTNOTE, region_id=3),
    )
    second = (block("Contract", RegionKind.HEADER), block("the buyer agree.", region_id=2, lines=2))
    assert texts(first, second) == ["The seller and the buyer agree.", "Page 1", "1 A note.", "Contract"]


def test_an_english_paragraph_is_joined_beyond_a_figure() -> None:
    first = (
        block("as can be seen in", box=LEFT, lines=40),
        block(kind=RegionKind.IMAGE, box=RIGHT, region_id=2, lines=0),
    )
    last = block("the figure above.", box=Box(520, 500, 900, 528), region_id=3)
    assert texts((*first, last)) == ["as can be seen in the figure above.", ""]


def test_a_paragraph_goes_on_over_three_pages() -> None:
    pages = [(block(text, lines=2),) for text in ("one", "two", "three.")]
    assert texts(*pages) == ["one two three."]


def test_paragraphs_that_end_or_begin_are_not_joined() -> None:
    assert len(texts((block("It ends here."),), (block("then more."),))) == 2
    assert len(texts((block("It does not"),), (block("Begin new"),))) == 2
    assert len(texts((block("Goods:"),), (block("a) apples"),))) == 2


def test_the_last_line_that_layout_cut_off_is_joined_where_the_line_above_is_full() -> None:
    above = block("Details of the scheme and", box=FULL, lines=2)
    below = block("the tests are given.", box=Box(100, 270, 500, 300), region_id=2)
    assert texts((above, below)) == ["Details of the scheme and the tests are given."]
    short = block("apples", box=Box(100, 200, 160, 230))
    assert len(texts((short, block("pears", box=Box(100, 235, 160, 265), region_id=2)))) == 2


def test_paragraphs_one_below_the_other_are_not_joined() -> None:
    assert (
        len(texts((block("no end", box=FULL), block("no start", box=Box(100, 300, 900, 340), region_id=2))))
        == 2
    )


def test_paragraphs_of_pages_that_do_not_follow_one_another_are_not_joined() -> None:
    flow = [
        placed
        for number in (1, 3)
        for placed in place_blocks(page(number, block("no end", lines=2)), keep_margins=False)
    ]
    assert len(join_parts(flow)) == 2


def test_paragraphs_of_other_sizes_are_not_joined() -> None:
    assert len(texts((block("no end", lines=1),), (block("no start", lines=2),))) == 2


def chinese(text: str, *, last_right: float = 900, first_left: float = 100) -> Block:
    lines = [Box(first_left, 200, 900, 230), Box(100, 230, last_right, 260)]
    return block(text, box=FULL, lines=lines)


def test_a_chinese_paragraph_is_joined_where_its_lines_are_full() -> None:
    assert texts((chinese("甲方应当在收到"),), (chinese("货物后付款。"),)) == ["甲方应当在收到货物后付款。"]


def test_a_chinese_paragraph_is_not_joined_where_a_line_is_short_or_indented() -> None:
    assert len(texts((chinese("甲方的权利", last_right=500),), (chinese("乙方应当"),))) == 2
    assert len(texts((chinese("甲方的权利"),), (chinese("乙方应当", first_left=160),))) == 2
    assert len(texts((chinese("甲方的权利"),), (chinese("第二条 乙方"),))) == 2


def table(rows: str, box: Box = FULL) -> Block:
    return block(f"{HEAD}{rows}</table>", RegionKind.TABLE, box, text_format=TextFormat.HTML)


def test_a_table_is_joined_over_the_edge_of_a_page_without_the_head_that_repeats() -> None:
    first = (table("<tr><td>1</td><td>a</td></tr>"), block("1", RegionKind.FOOTER, region_id=2))
    second = (block("续表 1", RegionKind.TABLE_TITLE), table("<tr><td>2</td><td>b</td></tr>"))
    whole, *rest = texts(first, second)
    parsed = parse_table(whole)
    assert parsed is not None
    assert [[cell.text for cell in row] for row in parsed.rows] == [["No", "Name"], ["1", "a"], ["2", "b"]]
    assert rest == ["1", "续表 1"]


def test_tables_of_other_widths_or_with_text_between_stay_apart() -> None:
    row = "<tr><td>2</td><td>b</td></tr>"
    assert len(texts((table(row),), (table(row, Box(100, 200, 700, 260)),))) == 2
    assert len(texts((table(row), block("Text.", region_id=2)), (table(row),))) == 3
    assert len(texts((table(row),), (block("表 2 价格", RegionKind.TABLE_TITLE), table(row)))) == 3
    assert len(texts((table(row), table(row)))) == 2


def test_a_formula_takes_the_number_in_its_row() -> None:
    formula = block("x = 1", RegionKind.FORMULA, Box(200, 200, 700, 260), text_format=TextFormat.LATEX)
    number = block("(3)", RegionKind.FORMULA_NUMBER, Box(850, 215, 900, 245), region_id=2)
    below = block("(4)", RegionKind.FORMULA_NUMBER, Box(850, 415, 900, 445), region_id=3)
    assert texts((formula, number, below)) == ["x = 1 \\tag{3}", "(4)"]
    assert texts((number, formula)) == ["x = 1 \\tag{3}"]


def test_a_number_without_latex_stays_text() -> None:
    formula = block("x = 1", RegionKind.FORMULA, Box(200, 200, 700, 260), text_format=TextFormat.NONE)
    number = block("(3)", RegionKind.FORMULA_NUMBER, Box(850, 215, 900, 245), region_id=2)
    assert texts((formula, number)) == ["x = 1", "(3)"]


def test_captions_go_to_their_figure_and_footnotes_to_the_end() -> None:
    figure = block(kind=RegionKind.IMAGE, box=Box(100, 500, 500, 800), lines=0)
    caption = block("Figure 1", RegionKind.FIGURE_TITLE, Box(200, 810, 400, 830), region_id=2)
    note = block("1 Note", RegionKind.FOOTNOTE, Box(100, HEIGHT - 50, 500, HEIGHT - 30), region_id=3)
    text, more = block("Text.", region_id=4), block("More.", region_id=5)
    assert texts((figure, text, note, caption, more)) == ["", "Figure 1", "Text.", "More.", "1 Note"]
    far = block("Figure 2", RegionKind.FIGURE_TITLE, Box(200, 100, 400, 120), region_id=6)
    assert texts((figure, text, far)) == ["", "Text.", "Figure 2"]
