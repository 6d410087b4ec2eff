import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.dollars import find_formulas
from tests.vlm_stage.postprocess.timing import takes_less_than
from vlm_stage.postprocess.latex import formula_latex, formula_number, normalize_delimiters


def test_inline_formulas_get_dollars() -> None:
    assert normalize_delimiters(r"the area \( \pi r^{2} \) of") == r"the area $\pi r^{2}$ of"


def test_a_displayed_formula_is_a_paragraph_of_its_own() -> None:
    assert normalize_delimiters("so \\[ a\n= b \\] holds") == "so\n\n$$a = b$$\n\nholds"
    assert normalize_delimiters(r"\[a=b\]") == "$$a=b$$"


def test_formulas_are_kept_apart_from_what_would_change_them() -> None:
    assert normalize_delimiters(r"\(a^2\)\(b^2\)") == "$a^2$ $b^2$"
    assert normalize_delimiters(r"\(a^2\)5") == "$a^2$ 5"
    assert normalize_delimiters(r"$\(a^2\)$") == "$ $a^2$ $"


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (r"\(12\)", "12"),
        (r"\( 50\% \)", "50%"),
        (r"\(a < b\)", "a < b"),
        (r"\(\text{see below}\)", "see below"),
        (r"\( \underline{\text{www.example.com/a\_b}} \)", "www.example.com/a_b"),
    ],
)
def test_what_is_no_formula_loses_its_delimiters(source: str, text: str) -> None:
    assert normalize_delimiters(source) == text


@pytest.mark.parametrize(
    "latex", ["x", "f(x)", "a=b", r"\alpha", "x^2", r"\mathbf{x}", r"\text{a} + \text{b}"]
)
def test_what_is_a_formula_is_one_for_the_orchestrator(latex: str) -> None:
    text = normalize_delimiters(rf"see \( {latex} \) here")
    assert [formula.latex for formula in find_formulas(text)] == [latex]


def test_prices_and_other_dollars_stay() -> None:
    assert normalize_delimiters(r"$5 and \(x^2\) and $6") == "$5 and $x^2$ and $6"
    assert normalize_delimiters("$ \\frac{1}{2} $ and $5") == "$ \\frac{1}{2} $ and $5"


def test_doubled_and_stray_delimiters_go() -> None:
    assert normalize_delimiters(r"\[\[a=b\]\]") == "$$a=b$$"
    assert normalize_delimiters(r"\( $x^2$ \)") == "$x^2$"
    assert normalize_delimiters(r"a\) b \(c \(x^2\)") == "a b c $x^2$"


def test_a_line_break_before_a_bracket_is_no_delimiter() -> None:
    source = r"\(\begin{matrix} a \\[2pt] b \\(c) \end{matrix}\)"
    assert normalize_delimiters(source) == r"$\begin{matrix} a \\[2pt] b \\(c) \end{matrix}$"


def test_a_formula_cut_at_the_end_of_the_text_is_closed() -> None:
    assert normalize_delimiters(r"the ratio \( \frac{a}{b") == r"the ratio $\frac{a}{b}$"


def test_an_opening_without_an_end_takes_no_text_along() -> None:
    assert normalize_delimiters("see \\( and more\nof the text") == "see  and more\nof the text"


_MARKS = [
    r"\(",
    r"\)",
    r"\[",
    r"\]",
    r"\\",
    "\\",
    "$",
    "$$",
    " ",
    "\n",
    "{",
    "}",
    "^",
    "_",
    "x",
    "12",
    r"\frac",
    "a b",
]
_SOUP = st.lists(st.sampled_from(_MARKS), max_size=30).map("".join)


@given(_SOUP)
def test_normal_text_stays_as_it_is(source: str) -> None:
    once = normalize_delimiters(source)
    assert normalize_delimiters(once) == once


@given(_SOUP)
def test_no_delimiter_but_dollars_is_left(source: str) -> None:
    pairs = re.findall(r"\\.", normalize_delimiters(source), re.DOTALL)
    assert not {r"\(", r"\)", r"\[", r"\]"} & set(pairs)


@given(st.text("ab$ \n{}^汉5."))
def test_text_without_delimiters_is_not_touched(source: str) -> None:
    assert normalize_delimiters(source) == source


@given(st.lists(st.tuples(st.text("ab汉 ", min_size=1), st.text("abc", min_size=2, max_size=5)), max_size=6))
def test_formulas_and_text_keep_their_order(pieces: list[tuple[str, str]]) -> None:
    source = "".join(rf"{text}\({name}^2\)" for text, name in pieces)
    assert normalize_delimiters(source) == "".join(f"{text}${name}^2$" for text, name in pieces)


@pytest.mark.parametrize(
    "source",
    [
        r"\[ E = mc^2 \]",
        r"\( E = mc^2 \)",
        "$$\nE = mc^2\n$$",
        "$E = mc^2$",
        "E = mc^2",
        r"\[\[ E = mc^2 \]\]",
    ],
)
def test_a_formula_region_has_no_delimiters(source: str) -> None:
    assert formula_latex(source) == "E = mc^2"


def test_several_formulas_of_a_region_stand_one_below_the_other() -> None:
    assert formula_latex("\\[ a=b \\]\n\\[ c=d \\]") == "\\begin{gathered}a=b \\\\\nc=d\\end{gathered}"
    assert formula_latex("$$a=b$$ $$c=d \\tag{2}$$") == "a=b\nc=d \\tag{2}"


def test_line_breaks_with_lengths_are_kept() -> None:
    assert (
        formula_latex(r"\begin{cases} a \\[2pt] b \\ \end{cases}")
        == r"\begin{cases} a \\[2pt] b \\ \end{cases}"
    )


@given(
    st.lists(st.sampled_from([*_MARKS, r"\begin{array}", r"\end{array}", r"\left(", r"\right)"]), max_size=30)
)
def test_a_formula_stays_as_it_is(pieces: list[str]) -> None:
    once = formula_latex("".join(pieces))
    assert formula_latex(once) == once


@pytest.mark.parametrize("source", ["(3)", r"\( (3) \)", r"\tag{3}", r"\[ \tag{(3)} \]", "$(3)$"])
def test_a_formula_number_is_text(source: str) -> None:
    assert formula_number(source) == "(3)"


@pytest.mark.parametrize(
    "source",
    [
        r"\(" * 50_000,
        r"\(x^2\)" * 14_000,
        r"\[x^2\]" * 14_000,
        r"\(" + r"\text{" * 16_000,
        r"\(" + r"\text{" * 10_000 + "}" * 10_000 + r"\)",
        r"\(" + "_" * 100_000,
        "\\" * 100_000,
        "$" * 100_000,
        "\\[ \n" * 25_000,
        r"\]" * 50_000,
    ],
)
def test_time_is_linear_for_any_100_kb(source: str) -> None:
    assert takes_less_than(3.0, lambda: normalize_delimiters(source))
    assert takes_less_than(3.0, lambda: formula_latex(source))
    assert takes_less_than(3.0, lambda: formula_number(source))
