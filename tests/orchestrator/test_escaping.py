import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from orchestrator.escaping import clean, escape_alternative, escape_heading, escape_inline, escape_lines

parser = MarkdownIt("gfm-like", {"linkify": False})
marks = st.text(alphabet="ab1 中。_*~`[]()<>!&;#-+=.:|\\/\"'xlt\n$^{}", max_size=40)


def shown(markdown: str) -> str:
    """The text that a reader of rendered Markdown sees; anything but text and line breaks shows as such."""
    out = []
    for token in parser.parse(markdown):
        for child in token.children or []:
            if child.type in ("text", "text_special"):
                out.append(child.content)
            elif child.type in ("softbreak", "hardbreak"):
                out.append("\n")
            else:
                out.append(f"\N{WARNING SIGN}{child.type}")
        if token.type not in ("inline", "paragraph_open", "paragraph_close"):
            out.append(f"\N{WARNING SIGN}{token.type}")
    return "".join(out)


def without_math(text: str) -> str:
    return text.replace("$", "S")


@given(marks | st.text(max_size=40))
@example("____年____")
@example("1. a")
@example("a](b)")
@example("[a]: b")
@example("\\")
@example("a|b\n-|-")
@example("a\n===")
@example("* * *")
@example("&lt;")
@example("~~~")
@example("*a\nb*")
@example("a\n<!-- b")
def test_a_paragraph_shows_the_text_that_it_was_made_of(text: str) -> None:
    lines = "\n".join(line for line in clean(without_math(text)).split("\n") if line)
    assert shown("\n".join(escape_lines(lines))) == lines


@given(marks | st.text(max_size=40))
def test_a_heading_shows_the_text_that_it_was_made_of(text: str) -> None:
    line = clean(without_math(text)).replace("\n", " ")
    markdown = f"## {escape_heading(line)}"
    tokens = parser.parse(markdown)
    assert [token.type for token in tokens] == ["heading_open", "inline", "heading_close"]
    assert (
        shown(markdown)
        .replace("\N{WARNING SIGN}heading_open", "")
        .replace("\N{WARNING SIGN}heading_close", "")
        == line
    )


@given(marks)
def test_alternative_text_stays_in_its_picture(text: str) -> None:
    line = clean(without_math(text)).replace("\n", " ")
    (paragraph,) = [t for t in parser.parse(f"![{escape_alternative(line)}](page.png)") if t.type == "inline"]
    (image,) = paragraph.children or []
    assert image.type == "image"
    assert "".join(child.content for child in image.children or []) == line


@given(marks)
def test_no_text_becomes_html_even_between_dollars(text: str) -> None:
    line = clean(text).replace("\n", " ")
    markdown = escape_inline(line)
    tokens = parser.parse(markdown)
    types = {child.type for token in tokens for child in token.children or []} | {t.type for t in tokens}
    assert not types & {"html_inline", "html_block"}
    assert not re.search(r"<[a-zA-Z/!?]", markdown)


@pytest.mark.parametrize(
    "text",
    [
        "snake_case and CamelCase",
        "a < b > c & d",
        "R&D, AT&T",
        "[1] A. Author, 2020.",
        "(see 3.2) - well",
        "Price* of 5 x 3",
        "2 * 3 * 4",
        "签字：____ 日期：____",
        "C:\\Users\\me",
        "$5,000 to $6,000",
        "wait! #3 is 5% + 1",
        "1.2 Scope",
        "- ",
    ],
)
def test_what_needs_no_mark_gets_none(text: str) -> None:
    assert escape_inline(text) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<script>", "&lt;script>"),
        ("# Title", "\\# Title"),
        ("1. one", "1\\. one"),
        ("> quote", "&gt; quote"),
        ("---", "\\---"),
        ("*a*", "\\*a\\*"),
        ("&lt;", "&amp;lt;"),
        ("[x](y)", "[x\\](y)"),
        ("where $x_1 * y_2 * z$ holds", "where $x_1 * y_2 * z$ holds"),
        ("$a<b_1$", "$a< b_1$"),
        ("so $ \\mu^{2}=0 $ holds", "so $\\mu^{2}=0$ holds"),
        ("costs $5 and $x_1$ more", "costs $5 and $x_1$ more"),
        ("$$a_1 *b* c$$ *d*", "$$a_1 *b* c$$ \\*d\\*"),
        ("$5-6$ or $5$", "\\$5-6\\$ or \\$5\\$"),
        ("5~10, 3~4", "5\\~10, 3\\~4"),
    ],
)
def test_what_needs_a_mark_gets_it(text: str, expected: str) -> None:
    assert escape_lines(text) == [expected]


def test_control_characters_and_runs_of_blanks_are_cleaned() -> None:
    assert clean(" a\x00b \t c\r\n d \n") == "ab c\nd"
