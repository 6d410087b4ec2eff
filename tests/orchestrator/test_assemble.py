import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from arcscribe.document import (
    Heading,
    LineCounts,
    MarkdownOptions,
    PageFailure,
    PictureMode,
    TableFormat,
)
from arcscribe.document_json import to_json
from arcscribe.types import Block, Box, FinishReason, RegionFailure, RegionKind, SpottedText, TextFormat
from orchestrator.assemble import assemble
from tests.orchestrator.builders import block, column, document, page, text_result, title

FAILED = RegionFailure("INFERENCE_FAILED", "the model failed")
TABLE = "<table><tr><th>No</th></tr><tr><td>1|2</td></tr></table>"


def markdown(*blocks: Block, pictures: dict[str, bytes] | None = None, **options: object) -> str:
    parsed = document(page(1, *column(*blocks)))
    chosen = MarkdownOptions(**options)  # type: ignore[arg-type]  # what each test sets
    return assemble(parsed, chosen, pictures or {}).text


def test_a_document_is_written_in_order_with_its_outline() -> None:
    parsed = document(
        page(
            1, *column(title("采购合同", 40, RegionKind.DOC_TITLE), title("第一条 标的"), block("甲方购买。"))
        ),
        page(2, *column(title("第二条\n价款"), block("乙方收款。"))),
    )
    result = assemble(parsed)
    assert result.text == "# 采购合同\n\n## 第一条 标的\n\n甲方购买。\n\n## 第二条价款\n\n乙方收款。\n"
    assert result.outline == (
        Heading(1, "采购合同", 1, 1),
        Heading(2, "第一条 标的", 1, 2),
        Heading(2, "第二条价款", 2, 1),
    )


def test_an_empty_document_is_empty_markdown() -> None:
    assert assemble(document(page(1))).text == ""


def test_page_breaks_are_comments_and_move_behind_a_paragraph_that_goes_on() -> None:
    parsed = document(
        page(1, block("It goes", lines=2)),
        page(2, block("on.", lines=2), block("New.", region_id=2)),
        page(3),
    )
    assert assemble(parsed, MarkdownOptions(page_breaks=True)).text == (
        "It goes on.\n\n<!-- page 2 -->\n\nNew.\n\n<!-- page 3 -->\n"
    )


def test_headers_and_footers_are_left_out_and_kept_by_option() -> None:
    blocks = block("Top", RegionKind.HEADER), block("Text."), block("3", RegionKind.NUMBER)
    assert markdown(*blocks) == "Text.\n"
    assert markdown(*blocks, headers_and_footers=True) == "Top\n\nText.\n\n3\n"


def test_lists_keep_their_numbers_and_bullets_become_marks() -> None:
    assert (
        markdown(block("1. one"), block("2.二"), block("4. four")) == "1. one\n2. 二\n\n<!-- -->\n\n4. four\n"
    )
    assert markdown(block("• one\n• two\nmore\n- three")) == "- one\n- two  \n  more\n- three\n"
    assert markdown(block("①甲\n②乙\n（1）丙")) == "- ①甲\n- ②乙\n- （1）丙\n"
    assert markdown(block("Goods:\n1) apples")) == "Goods:\n\n1) apples\n"
    assert markdown(block("- one"), block("3. three")) == "- one\n\n3. three\n"


@pytest.mark.parametrize(
    "text",
    [
        "（一）背景",
        "第一条 标的",
        "一、概述",
        "1.5 million",
        "-5 degrees",
        "2024. 年",
        "2.1 Payment",
        "* Corresponding author",
    ],
)
def test_what_is_no_list_stays_a_paragraph(text: str) -> None:
    shown = MarkdownIt().parse(markdown(block(text)))
    assert shown[0].type == "paragraph_open"
    assert shown[1].content.replace("\\", "") == text


def test_lines_of_a_paragraph_stay_lines() -> None:
    assert markdown(block("Mr A\nRoad 1")) == "Mr A  \nRoad 1\n"


def test_tables_are_html_or_gfm_and_with_spans_always_html() -> None:
    table = block(TABLE, RegionKind.TABLE, text_format=TextFormat.HTML)
    assert markdown(table) == "<table>\n<tr><th>No</th></tr>\n<tr><td>1|2</td></tr>\n</table>\n"
    assert markdown(table, table_format=TableFormat.GFM) == "| No |\n| --- |\n| 1\\|2 |\n"
    spans = block(TABLE.replace("<td>", "<td colspan=2>"), RegionKind.TABLE, text_format=TextFormat.HTML)
    assert 'colspan="2"' in markdown(spans, table_format=TableFormat.GFM)


def test_a_table_that_is_none_is_text() -> None:
    broken = block("no <b>table</b>", RegionKind.TABLE, text_format=TextFormat.HTML)
    assert markdown(broken) == "no &lt;b>table&lt;/b>\n"


def picture(kind: RegionKind = RegionKind.IMAGE, text: str = "") -> Block:
    return block(text, kind, text_format=TextFormat.NONE, picture="page-0001-image-001.png")


def test_pictures_are_linked_put_inline_or_left_out() -> None:
    assert markdown(picture()) == "![image](page-0001-image-001.png)\n"
    linked = markdown(picture(), picture_folder="my pictures/")
    assert linked == "![image](my%20pictures/page-0001-image-001.png)\n"
    inline = markdown(
        picture(), picture_mode=PictureMode.INLINE, pictures={"page-0001-image-001.png": b"\x89PNG"}
    )
    assert inline == "![image](data:image/png;base64,iVBORw==)\n"
    assert markdown(picture(text="axis"), picture_mode=PictureMode.NONE) == ""


def test_the_text_of_a_seal_or_formula_is_not_lost_without_pictures() -> None:
    seal, formula = picture(RegionKind.SEAL, "合同专用章"), picture(RegionKind.FORMULA, "a + b")
    assert markdown(seal) == "![seal: 合同专用章](page-0001-image-001.png)\n"
    assert markdown(picture(RegionKind.SEAL)) == "![seal](page-0001-image-001.png)\n"
    assert markdown(seal, formula, picture_mode=PictureMode.NONE) == "seal: 合同专用章\n\na + b\n"


def test_formulas_and_code_are_not_escaped() -> None:
    formula = block("$$x_1 * y <z$$", RegionKind.FORMULA, text_format=TextFormat.LATEX)
    assert markdown(formula) == "$$\nx_1 * y < z\n$$\n"
    code = block("if a_b:\n    *c = `d`", RegionKind.ALGORITHM)
    assert markdown(code) == "```\nif a_b:\n    *c = `d`\n```\n"


def test_a_dollar_sign_in_a_formula_stays_and_a_bare_dollar_goes() -> None:
    formula = block(r"a = \$5 $b", RegionKind.FORMULA, text_format=TextFormat.LATEX)
    assert markdown(formula) == "$$\na = \\$5 b\n$$\n"


def test_a_formula_is_no_link() -> None:
    formula = block("f[x](y)", RegionKind.FORMULA, text_format=TextFormat.LATEX)
    assert markdown(formula) == "$$\nf[x] (y)\n$$\n"


def test_a_formula_does_not_open_a_code_block() -> None:
    formula = block("~~~~x = ```y", RegionKind.FORMULA, text_format=TextFormat.LATEX)
    assert markdown(formula) == "$$\n~ ~ ~ ~x = ` ` `y\n$$\n"


def test_a_region_that_failed_shows_and_leaves_the_others_in_place() -> None:
    text = markdown(block("One."), block(kind=RegionKind.TABLE, result=FAILED), block("Three."))
    what = "region 2 (table) on page 1 could not be read: INFERENCE_FAILED"
    assert text == f"One.\n\n<!-- {what} -->\n\n> **[{what}]**\n\nThree.\n"


def test_a_note_names_a_region_by_its_place_on_the_page_as_overlays_do() -> None:
    header = block("Contract 7", RegionKind.HEADER, region_id=0)
    empty, cut = (
        block("", region_id=4),
        block(result=text_result("and so", finish_reason=FinishReason.LENGTH), region_id=2),
    )
    failed = block(kind=RegionKind.TABLE, result=FAILED, region_id=1)
    text = assemble(document(page(3, header, empty, cut, failed))).text
    assert "<!-- region 2 (text) on page 3 was read as empty -->" in text
    assert "<!-- region 3 (text) on page 3 may be incomplete: LENGTH -->" in text
    assert "**[region 4 (table) on page 3 could not be read: INFERENCE_FAILED]**" in text


def test_a_page_that_failed_shows() -> None:
    failure = PageFailure("STAGE_TIMEOUT", "too slow")
    result = assemble(document(page(1, block("One.")), page(2, failure=failure), page(3, block("Three."))))
    assert "> **[page 2 could not be parsed: STAGE_TIMEOUT]**" in result.text
    assert len(result.line_counts) == 3


def test_what_was_cut_short_or_read_as_empty_leaves_a_comment() -> None:
    cut = block(result=text_result("and so", finish_reason=FinishReason.LENGTH))
    assert markdown(cut) == "and so\n\n<!-- region 1 (text) on page 1 may be incomplete: LENGTH -->\n"
    assert markdown(block("")) == "<!-- region 1 (text) on page 1 was read as empty -->\n"
    assert markdown(block("", lines=0)) == ""


def test_every_line_is_accounted_for() -> None:
    parsed = document(
        page(
            1,
            *column(
                block("Top", RegionKind.HEADER),
                block("Text.", lines=3),
                block(lines=2, result=FAILED),
                block("", lines=1),
                block("", RegionKind.IMAGE, text_format=TextFormat.NONE, lines=4, picture="a.png"),
                block("章", RegionKind.SEAL, text_format=TextFormat.NONE, lines=1, picture="b.png"),
            ),
        ),
        page(2, block("More.", lines=2)),
    )
    result = assemble(parsed)
    assert result.line_counts == (
        LineCounts(found=12, in_markdown=4, left_out=5, lost=3),
        LineCounts(found=2, in_markdown=2),
    )
    assert result.total == LineCounts(found=14, in_markdown=6, left_out=5, lost=3)
    kept = assemble(parsed, MarkdownOptions(headers_and_footers=True)).total
    assert (kept.in_markdown, kept.left_out) == (7, 4)


kinds = st.sampled_from(RegionKind)
formats = st.sampled_from(TextFormat)
hostile = st.text(alphabet="a1中 。_*~`[]()<>!&;#-+=.:|\\/\"'\n$", max_size=30) | st.sampled_from(
    [
        "<script>x</script>",
        "-->",
        "<!--",
        "<table><tr><td><img src=x onerror=y></td></tr></table>",
        "$<b>_$",
        "```\n<b>",
    ]
)


@given(
    st.lists(st.tuples(hostile, kinds, formats), max_size=6),
    st.sampled_from(TableFormat),
    st.sampled_from(PictureMode),
)
def test_no_document_makes_html_but_tables_breaks_and_our_comments(
    parts: list[tuple[str, RegionKind, TextFormat]], table_format: TableFormat, mode: PictureMode
) -> None:
    blocks = column(*(block(text, kind, text_format=form, picture="p.png") for text, kind, form in parts))
    options = MarkdownOptions(table_format, mode, headers_and_footers=True)
    text = assemble(document(page(1, *blocks)), options, {"p.png": b"\x89PNG"}).text
    for token in MarkdownIt("gfm-like", {"linkify": False}).parse(text):
        if token.type == "html_block":
            assert token.content.startswith(("<table>", "<!-- region ", "<!-- -->"))
            assert "<script" not in token.content
            assert "<img" not in token.content
        for child in token.children or []:
            assert child.type != "html_inline" or child.content == "<br>"
            assert child.type != "link_open"
    assert text == "" or (text.endswith("\n") and not text.endswith("\n\n"))


def test_json_has_stable_keys_and_every_region() -> None:
    parsed = document(
        page(1, *column(title("One"), block(result=FAILED))), page(2, failure=PageFailure("X", "y"))
    )
    tree = json.loads(to_json(parsed, assemble(parsed)))
    assert list(tree) == ["name", "page_count", "pages", "outline", "line_counts"]
    first, second = tree["pages"]
    assert list(first) == [
        "number",
        "width",
        "height",
        "rotation",
        "failure",
        "layout_model",
        "timings_ms",
        "blocks",
    ]
    assert second["failure"] == {"reason": "X", "message": "y"}
    read, failed = first["blocks"]
    assert {"id", "order", "kind", "label", "score", "box", "polygon", "lines", "picture"} < set(read)
    assert {"text", "format", "confidence", "finish_reason", "engine", "model", "milliseconds"} < set(read)
    assert read["box"] == [100, 200, 900, 220]
    assert (read["order"], failed["order"]) == (1, 2)
    assert failed["failure"] == {"reason": "INFERENCE_FAILED", "message": "the model failed"}
    assert tree["outline"] == [{"level": 2, "text": "One", "page_number": 1, "region_id": 1}]
    assert tree["line_counts"]["total"] == {"found": 2, "in_markdown": 1, "left_out": 0, "lost": 1}


def test_json_tells_the_places_of_lines() -> None:
    spotted = (SpottedText("a", Box(1.234, 2, 3, 4).to_polygon()),)
    parsed = document(page(1, block(result=text_result("a", spotted=spotted)), block("b")))
    there, elsewhere = json.loads(to_json(parsed, assemble(parsed)))["pages"][0]["blocks"]
    assert there["spotted"] == [{"text": "a", "polygon": [[1.23, 2], [3, 2], [3, 4], [1.23, 4]]}]
    assert elsewhere["spotted"] == []


def test_coordinates_in_json_are_pixels_rounded_to_hundredths() -> None:
    parsed = document(page(1, block("x", box=Box(1.234, 2, 3, 4))))
    tree = json.loads(to_json(parsed, assemble(parsed)))
    assert tree["pages"][0]["blocks"][0]["box"] == [1.23, 2, 3, 4]
