"""Documents that hold what would be markup: it comes out as text, and the structure stays as it was."""

import re
from collections.abc import Callable
from html.parser import HTMLParser

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from arcscribe.document import MarkdownOptions, PictureMode, TableFormat
from arcscribe.types import RegionKind, TextFormat
from orchestrator.assemble import assemble
from orchestrator.escaping import clean, escape_latex
from tests.orchestrator.builders import block, column, document, page
from vlm_stage.postprocess.generated import compose_generated

RENDERER = MarkdownIt("gfm-like", {"linkify": False, "html": True})

HOSTILE = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>",
    "<a href='javascript:alert(1)'>x</a>",
    "<!-- hidden",
    "--> <b>x</b>",
    "<![CDATA[x]]>",
    "<?php x ?>",
    "</td></tr></table><script>x</script>",
    "&lt;script&gt;",
    "&#x3c;b&#62;",
    "[x](javascript:alert(1))",
    "![x](http://evil.example/x.png)",
    "[a]: http://evil.example 'x'",
    "[a][a]",
    "x[^1]",
    "<https://evil.example>",
    "<a@evil.example>",
    "../../etc/passwd",
    "```",
    "~~~ x",
    "`<b>`",
    "# heading",
    "> quote",
    "- [ ] task",
    "1. one",
    "| a | b |\n|---|---|\n| c | d |",
    "title\n===",
    "title\n---",
    "* * *",
    "    code",
    "\tcode",
    "**bold** __bold__ ~~gone~~",
    "ends in \\",
    "\\<b>",
    "a\rb\x0bc\u2028# d",
    "\x1b[31mred",
    "\ufeff# h",
    "$x_1<script>$",
    "$\\href{javascript:alert(1)}{x}$",
    "$$\n</div>\n$$",
)

NO_TEXT = {RegionKind.TABLE, RegionKind.FORMULA, RegionKind.CHART}
KINDS = tuple(kind for kind in RegionKind if kind not in NO_TEXT)
LISTED = {RegionKind.TEXT, RegionKind.CONTENT, RegionKind.ABSTRACT}
"""Kinds whose lines may be items of a list, which is what they look like."""

hostile = st.lists(
    st.sampled_from(HOSTILE) | st.text(alphabet="<>&[]()!*_~`#|$\\-=:/ \n\tab1", max_size=6), max_size=4
).flatmap(lambda parts: st.sampled_from(["", " ", "\n"]).map(lambda between: between.join(parts)))


class Shown(HTMLParser):
    """What a browser makes of rendered Markdown: elements, attributes, comments, and text."""

    def __init__(self, markdown: str) -> None:
        super().__init__()
        self.elements: list[str] = []
        self.attributes: set[str] = set()
        self.others: list[str] = []
        self.text = ""
        self.feed(RENDERER.render(markdown))
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_comment(self, data: str) -> None:
        self.others.append(data)

    def handle_decl(self, decl: str) -> None:
        self.others.append(decl)

    def handle_pi(self, data: str) -> None:
        self.others.append(data)

    def unknown_decl(self, data: str) -> None:
        self.others.append(data)


def shown(
    text: str, kind: RegionKind, text_format: TextFormat = TextFormat.PLAIN, **options: object
) -> Shown:
    """A document of that block between two paragraphs, as it is shown."""
    blocks = column(block("Before."), block(text, kind, text_format=text_format), block("After."))
    options = {"headers_and_footers": True, **options}
    view = Shown(assemble(document(page(1, *blocks)), MarkdownOptions(**options)).text)  # type: ignore[arg-type]
    assert "Before." in view.text
    assert "After." in view.text
    assert not text.strip() or view.others == []
    return view


def emphasis_by(text: str) -> set[str]:
    """Elements that a renderer without formulas may make of what stands between dollars, and no more."""
    return {"em", "strong", "s"} if "$" in text else set()


def letters(text: str) -> str:
    return re.sub(r"\s", "", text)


@pytest.mark.parametrize("kind", KINDS)
def test_hostile_text_of_any_kind_comes_out_as_text(kind: RegionKind) -> None:
    allowed = {"p", "br", "pre", "code"} if kind is RegionKind.ALGORITHM else {"p", "br", "h1", "h2"}
    allowed |= {"ul", "ol", "li"} if kind in LISTED else set()
    for text in HOSTILE:
        view = shown(text, kind)
        assert set(view.elements) <= allowed, text
        assert not view.attributes, text
        if "$" not in text and kind not in LISTED | {RegionKind.ALGORITHM}:
            assert letters(clean(text)) in letters(view.text)


@given(hostile, st.sampled_from(sorted(set(KINDS) - {RegionKind.ALGORITHM})))
@example("- [x] done", RegionKind.TEXT)
@settings(max_examples=100)
def test_no_combination_of_hostile_pieces_is_more_than_text(text: str, kind: RegionKind) -> None:
    view = shown(text, kind)
    assert set(view.elements) <= {"p", "br", "h1", "h2", "ul", "ol", "li"} | emphasis_by(text)
    assert view.attributes <= {"start"}


def in_html(cell: str) -> str:
    return f"<table><tr><td>{cell}</td><td>{cell}</td></tr><tr><td>x</td><td>{cell}</td></tr></table>"


def in_otsl(cell: str) -> str:
    return f"<fcel>{cell}<fcel>{cell}<nl><fcel>x<fcel>{cell}<nl>"


@given(hostile, st.sampled_from([in_html, in_otsl]), st.sampled_from(list(TableFormat)))
@example("</td></tr></table>\n\n<script>alert(1)</script>", in_html, TableFormat.HTML)
@example("a | b\n|---|---|\n", in_otsl, TableFormat.GFM)
@settings(max_examples=100)
def test_hostile_text_in_the_cells_that_a_vlm_writes_stays_in_the_table(
    text: str, write: Callable[[str], str], table_format: TableFormat
) -> None:
    composed = compose_generated(RegionKind.TABLE, write(text), None).content
    view = shown(composed.text, RegionKind.TABLE, composed.format, table_format=table_format)
    cells = {"table", "thead", "tbody", "tr", "th", "td"}
    assert set(view.elements) <= {"p", "br", "ul", "ol", "li"} | cells | emphasis_by(composed.text)
    assert view.attributes <= {"rowspan", "colspan", "style", "start"}


@given(hostile, st.sampled_from([RegionKind.FORMULA, RegionKind.FORMULA_NUMBER, RegionKind.CHART]))
@settings(max_examples=100)
def test_a_hostile_formula_or_chart_of_a_vlm_is_no_html_and_no_link(text: str, kind: RegionKind) -> None:
    composed = compose_generated(kind, text, None).content
    view = shown(composed.text, kind, composed.format, picture_mode=PictureMode.NONE)
    cells = {"table", "tr", "th", "td"} if composed.format is TextFormat.HTML else set()
    assert set(view.elements) <= {"p", "br", "em", "strong", "s", "code"} | cells
    assert "href" not in view.attributes | {f"\\{word}" for word in re.findall(r"\\(\w+)", view.text)}


@pytest.mark.parametrize(
    "latex",
    [
        "\\href{javascript:alert(1)}{x}",
        "\\url {javascript:alert(1)}",
        "\\includegraphics{http://evil.example/x.png}",
        "\\htmlStyle{position:fixed}{x}",
        "\\require{html} \\style{background:url(http://evil.example)}{x}",
        "\\def\\x{\\x\\x} \\x",
    ],
)
@pytest.mark.parametrize("write", [lambda latex: f"so ${latex}=1$ holds", in_html], ids=["text", "table"])
def test_a_formula_has_no_command_that_does_more_than_show(latex: str, write: Callable[[str], str]) -> None:
    is_table = write is in_html
    source = in_html(f"${latex}=1$") if is_table else write(latex)
    view = shown(source, RegionKind.TEXT, TextFormat.HTML if is_table else TextFormat.PLAIN)
    assert not re.search(r"\\(href|url|includegraphics|htmlStyle|require|style|def)(?![A-Za-z])", view.text)
    assert "=1" in view.text


def test_commands_with_longer_names_and_line_breaks_before_words_stay() -> None:
    latex = "\\definecolor \\letter \\styled a \\\\ def"
    assert escape_latex(latex) == latex
    assert escape_latex("a \\\\url \\\\\\url \\url") == "a \\\\ url \\\\ url  url"


@given(hostile)
def test_a_pictures_file_and_link_are_named_by_us_and_its_words_stay_in_brackets(text: str) -> None:
    picture = block(text, RegionKind.IMAGE, text_format=TextFormat.NONE, picture="page-0001-image-001.png")
    options = MarkdownOptions(picture_folder="../x y/<b>)(\n")
    markdown = assemble(document(page(1, picture)), options).text
    view = Shown(markdown)
    assert view.elements == ["p", "img"]
    assert view.attributes <= {"src", "alt"}
    assert "%3Cb%3E%29%28%0A/page-0001-image-001.png" in markdown
