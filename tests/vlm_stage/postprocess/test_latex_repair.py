import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.vlm_stage.postprocess.timing import takes_less_than
from vlm_stage.postprocess.latex_repair import repair_latex

_SOUND = [
    "E = mc^2",
    r"\frac{a}{b} + \sqrt[3]{x_{i}}",
    r"\left( \frac{1}{2} \right]^{2}",
    r"\left. \frac{d f}{d x} \right|_{x=0}",
    r"\begin{array}{cc} a & b \\ c & d \end{array}",
    r"\begin{aligned} x &= \begin{cases} 1 & x \in A \\[2pt] 0 \end{cases} \\ \end{aligned}",
    r"\text{if } x_\text{max} \leq \{1, 2\}",
    r"\hat\alpha^\circ \frac12 \overset{!}{=} \operatorname*{argmin}_{\theta}",
    r"( \Sigma, \Sigma_{i} )=\left(-\partial_{k} \Pi_{k}^{V}, \varepsilon^{i j k} \partial_{j} \right).",
    r"{\bf B}^{L}=0={\dot{\bf V}}^{L}-\nabla U，",
    r"\mathcal{L}'_{\phi} \to \infty",
    r"a \_ b",
]


@pytest.mark.parametrize("latex", _SOUND)
def test_sound_latex_stays_as_it_is(latex: str) -> None:
    assert repair_latex(latex) == latex


def _is_balanced(latex: str) -> bool:
    """Whether braces, environments and lefts nest, and every script and fraction has what it needs."""
    opened: list[str] = []
    waiting = False
    tokens = re.findall(
        r"\\begin\{\w+\}|\\end\{\w+\}|\\(?:left|right)(?![A-Za-z])|\\[A-Za-z]+|\\.|.", latex, re.DOTALL
    )
    for token in tokens:
        if waiting and (token in ("}", r"\right") or token.startswith(r"\end{")):
            return False
        waiting = token in ("^", "_", r"\frac") or (waiting and token.isspace())
        if token.startswith(r"\begin{"):
            opened.append(token[7:])
        elif token in ("{", r"\left"):
            opened.append({"{": "}", r"\left": r"\right"}[token])
        closes = token in ("}", r"\right") or token.startswith(r"\end{")
        if closes and (not opened or opened.pop() != token.removeprefix(r"\end{")):
            return False
    return not opened and not waiting


_PIECES = [
    *(
        "{",
        "}",
        "^",
        "_",
        r"\_",
        "x",
        "1",
        " ",
        "&",
        r"\\",
        "\\",
        r"\frac",
        r"\sqrt",
        r"\alpha",
        r"\text",
        "[",
    ),
    *(
        r"\begin{array}",
        r"\end{array}",
        r"\begin{cases}",
        r"\end{cases}",
        r"\left(",
        r"\right)",
        r"\right",
        r"\left",
    ),
    *(r"\left\{", r"\right\}", r"\begin{ar", r"\end", r"\inZ", r"\{", r"\}"),
]
_SOUP = st.lists(st.sampled_from(_PIECES), max_size=30).map("".join)


@given(_SOUP)
def test_anything_becomes_balanced(source: str) -> None:
    assert _is_balanced(repair_latex(source))


@given(_SOUP)
def test_what_is_repaired_stays_as_it_is(source: str) -> None:
    once = repair_latex(source)
    assert repair_latex(once) == once


@given(st.text())
def test_any_text_can_be_repaired(source: str) -> None:
    once = repair_latex(source)
    assert repair_latex(once) == once


@given(st.sampled_from(_SOUND), st.data())
def test_a_formula_cut_anywhere_is_balanced_and_begins_as_it_was(latex: str, data: st.DataObject) -> None:
    cut = latex[: data.draw(st.integers(0, len(latex)))]
    repaired = repair_latex(cut)
    assert _is_balanced(repaired)
    kept = re.sub(r"\\[A-Za-z]*(?:\{[a-z]*)?\s*\Z", "", cut).strip()
    assert repaired.startswith(kept)


@pytest.mark.parametrize(
    ("source", "repaired"),
    [
        (r"\begin{array}{cc} a & \frac{b", r"\begin{array}{cc} a & \frac{b}{}\end{array}"),
        (r"\left( \sqrt{x", r"\left( \sqrt{x}\right."),
        (r"{x + \alp", "{x +}"),
        (r"x^{2} + \frac", r"x^{2} + \frac{}{}"),
        (r"\begin{array}", r"\begin{array}{}\end{array}"),
        (r"a + \begin{arr", "a +"),
        (r"{x^\alp", r"{x^{}}"),
        (r"a \\begin{b", r"a \\begin{b}"),
        (r"\begin{cases} a \end{cases} b \end{cases}", r"\begin{cases} a \end{cases} b"),
        (r"a} \right) + \end{array} b", "a  ) +   b"),
        (r"\frac{\left( a }{b}", r"\frac{\left( a \right.}{b}"),
    ],
)
def test_what_is_open_is_closed_and_what_closes_nothing_goes(source: str, repaired: str) -> None:
    assert repair_latex(source) == repaired


def test_what_the_model_is_known_to_write_wrong_is_mended() -> None:
    assert repair_latex(r"x \inZ, \angleABC") == r"x \in Z, \angle ABC"
    assert repair_latex(r"\frac{1}{2}=\___") == r"\frac{1}{2}=\_\_\_"


@pytest.mark.parametrize(
    "source",
    [
        "{" * 100_000,
        "}" * 100_000,
        r"\left(" * 16_000 + "}" * 4_000,
        "{" * 50_000 + r"\end{x}" * 7_000,
        r"\begin{x}" * 6_000 + r"\end{y}" * 6_000,
        r"\begin{x" * 12_000,
        "_" * 100_000,
        "^" * 100_000,
        "\\" * 100_001,
        r"\begin" * 16_000,
        r"\begin   " * 11_000,
        " " * 100_000 + "x",
    ],
)
def test_time_is_linear_for_any_100_kb(source: str) -> None:
    assert takes_less_than(3.0, lambda: repair_latex(source))
