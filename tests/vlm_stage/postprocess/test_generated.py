from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcscribe.types import RegionKind, SpottedText, TextFormat
from orchestrator.table_parser import parse_table
from tests.vlm_stage.postprocess.html_tables import cells_of, texts_of
from tests.vlm_stage.postprocess.timing import takes_less_than
from vlm_stage.postprocess.generated import (
    Cleaned,
    Composed,
    clean_generated,
    compose_generated,
    compose_spotted,
)
from vlm_stage.recognizer import MAX_ALTERNATIVE, Content

_FORMATS = {
    RegionKind.TABLE: {TextFormat.HTML, TextFormat.PLAIN},
    RegionKind.CHART: {TextFormat.HTML, TextFormat.NONE},
    RegionKind.FORMULA: {TextFormat.LATEX},
    RegionKind.SEAL: {TextFormat.NONE},
    RegionKind.IMAGE: {TextFormat.NONE},
    RegionKind.HEADER_IMAGE: {TextFormat.NONE},
    RegionKind.FOOTER_IMAGE: {TextFormat.NONE},
}


def _composed(kind: RegionKind, raw: str) -> tuple[str, TextFormat]:
    content = compose_generated(kind, raw, 0.9).content
    return content.text, content.format


def test_a_table_is_html_in_whichever_notation_it_was_written() -> None:
    html = "<table><tr><td>a</td><td>b</td></tr><tr><td>1</td><td>2</td></tr></table>"
    assert _composed(RegionKind.TABLE, "<fcel>a<fcel>b<nl><fcel>1<fcel>2<nl>") == (html, TextFormat.HTML)
    assert _composed(RegionKind.TABLE, html) == (html, TextFormat.HTML)
    assert _composed(RegionKind.TABLE, "a | b\n1 | 2") == (
        html.replace("td>a</td><td>b</td", "th>a</th><th>b</th"),
        TextFormat.HTML,
    )


def test_a_table_without_cells_is_the_text_that_it_is() -> None:
    assert _composed(RegionKind.TABLE, "No <b>cells<nl>here") == ("No <b>cells\nhere", TextFormat.PLAIN)


def test_a_chart_is_a_table_or_stays_a_picture() -> None:
    assert _composed(RegionKind.CHART, "Year | Sales\n2023 | 53") == (
        "<table><tr><th>Year</th><th>Sales</th></tr><tr><td>2023</td><td>53</td></tr></table>",
        TextFormat.HTML,
    )
    assert _composed(RegionKind.CHART, "Sales\nby year") == ("Sales by year", TextFormat.NONE)


def test_a_formula_is_latex_without_delimiters() -> None:
    assert _composed(RegionKind.FORMULA, r"\[ \frac{a}{b") == (r"\frac{a}{b}", TextFormat.LATEX)


def test_a_seal_stays_a_picture_with_its_text_beside_it() -> None:
    assert _composed(RegionKind.SEAL, "云岭测绘仪器\n有限公司\n合同专用章") == (
        "云岭测绘仪器有限公司合同专用章",
        TextFormat.NONE,
    )


def test_alternative_text_is_short() -> None:
    text, text_format = _composed(RegionKind.IMAGE, " ".join(map(str, range(1000))))
    assert (len(text), text_format) == (MAX_ALTERNATIVE, TextFormat.NONE)


def test_titles_are_one_line_and_text_has_the_lines_that_were_meant() -> None:
    assert _composed(RegionKind.PARAGRAPH_TITLE, "1.2 The\nScope")[0] == "1.2 The Scope"
    assert (
        _composed(RegionKind.TEXT, "住所：临江市\n电话：123\n\n\n第二段")[0]
        == "住所：临江市\n电话：123\n\n第二段"
    )

    broken = "the scope of the work that was agreed on here\nand in the annex"
    assert _composed(RegionKind.TEXT, broken)[0] == broken.replace("\n", " ")
    assert _composed(RegionKind.CONTENT, broken)[0] == broken


def test_code_keeps_its_blanks_and_backslashes() -> None:
    code = "\nfor i in x:\n    print('\\(')\n"
    assert _composed(RegionKind.ALGORITHM, code)[0] == "for i in x:\n    print('\\(')"


def test_a_formula_number_is_text() -> None:
    assert _composed(RegionKind.FORMULA_NUMBER, r"\tag{12}") == ("(12)", TextFormat.PLAIN)


def test_formulas_in_text_stand_between_dollars() -> None:
    assert _composed(RegionKind.TEXT, r"for \( x \in A \) only")[0] == r"for $x \in A$ only"


def test_the_confidence_is_the_engines_and_none_where_nothing_was_read() -> None:
    read = compose_generated(RegionKind.TEXT, "text", 0.75)
    assert read == Composed(Content("text", TextFormat.PLAIN, 0.75), was_cut=False)
    nothing = compose_generated(RegionKind.TEXT, " \n", 0.75)
    assert nothing == Composed(Content("", TextFormat.PLAIN, None), was_cut=False)
    assert compose_generated(RegionKind.TEXT, "text", None).content.confidence is None


def test_a_character_that_was_cut_goes_and_so_does_what_no_text_holds() -> None:
    assert _composed(RegionKind.TEXT, "a\x00b\ud800 汉\ufffd\ufffd")[0] == "ab 汉"
    assert clean_generated(RegionKind.TEXT, "line\n" * 12 + "\ufffd\n" + "line\n").text == "line"


def test_repetition_is_cut_later_in_tables() -> None:
    blank = "<fcel>a<nl>" + "<ecel><ecel><nl>" * 60
    assert len(cells_of(compose_generated(RegionKind.TABLE, blank, None).content.text)) == 122
    assert clean_generated(RegionKind.TEXT, "no, " * 50) == Cleaned("no,", was_cut=True)
    assert clean_generated(RegionKind.TABLE, blank) == Cleaned(blank, was_cut=False)
    assert len(clean_generated(RegionKind.TABLE, blank * 40).text) < 5000


_PIECES = st.sampled_from(
    [
        *(
            "<fcel>",
            "<ecel>",
            "<lcel>",
            "<ucel>",
            "<nl>",
            "<td>",
            "<tr>",
            "</table>",
            "<br>",
            " | ",
            "\n",
            "\n\n",
        ),
        *(
            r"\(",
            r"\)",
            r"\[",
            r"\]",
            "$",
            "{",
            "}",
            "^",
            r"\frac",
            "<|LOC_1|>",
            "\x00",
            "\ufffd",
            "x",
            "汉",
            "1.5 ",
        ),
        *("same line\n" * 12, "again and again, " * 12, "\ud800"),
    ]
)
_RAW = st.one_of(st.text(), st.lists(_PIECES, max_size=30).map("".join))
_KINDS = st.sampled_from(RegionKind)


@given(_KINDS, _RAW)
def test_every_kind_takes_any_output(kind: RegionKind, raw: str) -> None:
    content = compose_generated(kind, raw, 0.5).content
    assert content.format in _FORMATS.get(kind, {TextFormat.PLAIN})
    assert (content.confidence is None) == (not content.text)
    content.text.encode()
    if content.format is TextFormat.HTML:
        table = parse_table(content.text)
        assert table is not None
        assert sum(map(len, table.rows)) == len(cells_of(content.text, may_overlap=True)) > 0


@given(_KINDS, _RAW)
def test_cleaning_is_final_and_composing_includes_it(kind: RegionKind, raw: str) -> None:
    clean = clean_generated(kind, raw).text
    assert clean_generated(kind, clean) == Cleaned(clean, was_cut=False)
    assert len(clean) <= len(raw)
    assert compose_generated(kind, clean, 0.5).content == compose_generated(kind, raw, 0.5).content


@given(st.data())
def test_a_table_grows_with_its_source(data: st.DataObject) -> None:
    source = "<fcel>Item<fcel>Price<nl><fcel>Desk<br>oak<fcel>120<nl><fcel>Lamp<lcel><nl>"
    cut = data.draw(st.integers(7, len(source)))
    text, text_format = _composed(RegionKind.TABLE, source[:cut])
    assert text_format is TextFormat.HTML
    whole = "".join(texts_of(_composed(RegionKind.TABLE, source)[0]))
    assert whole.startswith("".join(texts_of(text)).rstrip("<br"))


@pytest.mark.parametrize("piece", ["word ", "<fcel>a<nl>", r"\(x^2\) ", "a | b\n", "<td>", "汉字\n", "a-\n"])
def test_time_is_linear_for_100_kb_of_any_kind(piece: str) -> None:
    source = "".join(f"{piece}{number}" for number in range(100_000 // (len(piece) + 5)))
    for kind in (
        RegionKind.TEXT,
        RegionKind.TABLE,
        RegionKind.CHART,
        RegionKind.FORMULA,
        RegionKind.DOC_TITLE,
    ):
        assert takes_less_than(5.0, partial(compose_generated, kind, source, None))


def test_a_repetition_that_is_cut_is_told_and_blanks_that_are_cut_are_not() -> None:
    assert compose_generated(RegionKind.TEXT, "the same again " * 40, None).was_cut
    assert not compose_generated(RegionKind.TEXT, "once only\x00 \n\ufffd\n ", None).was_cut


PLACE = "".join(f"<|LOC_{number}|>" for number in (0, 0, 500, 0, 500, 100, 0, 100))
CORNERS = ((0, 0), (100, 0), (100, 10), (0, 10))


def test_spotted_text_has_its_places_beside_it_and_what_has_none_after_it() -> None:
    raw = f"one{PLACE}\nlost<|LOC_3|>\ntwo{PLACE}"
    assert compose_spotted(RegionKind.TABLE_TITLE, raw, 0.5, 200, 100) == Composed(
        Content("one\ntwo\nlost", TextFormat.PLAIN, 0.5),
        was_cut=False,
        spotted=(SpottedText("one", CORNERS), SpottedText("two", CORNERS)),
    )


def test_a_picture_that_is_spotted_stays_one() -> None:
    composed = compose_spotted(RegionKind.SEAL, f"云岭{PLACE}有限公司{PLACE}", None, 200, 100)
    assert composed.content == Content("云岭有限公司", TextFormat.NONE, None)
    assert [line.text for line in composed.spotted] == ["云岭", "有限公司"]


def test_places_are_alike_before_they_are_a_repetition() -> None:
    line = "ab" + "<|LOC_10|>" * 8
    assert compose_spotted(RegionKind.TEXT, line * 40, None, 9, 9).content.text == "\n".join(["ab"] * 40)
    endless = compose_spotted(RegionKind.TEXT, line * 80, None, 9, 9)
    assert (endless.content.text, endless.was_cut) == ("ab", True)


@given(_KINDS, _RAW)
def test_any_output_can_be_spotted(kind: RegionKind, raw: str) -> None:
    composed = compose_spotted(kind, raw, 0.5, 640, 480)
    composed.content.text.encode()
    assert (composed.content.confidence is None) == (not composed.content.text)
    assert "<|LOC_1|>" not in composed.content.text
