"""A document as Markdown: what edges cut is joined, what runs round the pages left out, titles get levels."""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from arcscribe.document import AssembledMarkdown, Document, Heading, MarkdownOptions, ParsedPage
from orchestrator.flow import Placed, count_lines, place_blocks
from orchestrator.gluing import one_line
from orchestrator.headings import heading_levels
from orchestrator.joining import join_parts
from orchestrator.markdown import Fragment, failed_page, joined, page_break, write_block
from orchestrator.running import mark_running

_NO_PICTURES: Mapping[str, bytes] = MappingProxyType({})
_DEFAULTS = MarkdownOptions()


def assemble(
    document: Document,
    options: MarkdownOptions = _DEFAULTS,
    pictures: Mapping[str, bytes] = _NO_PICTURES,
) -> AssembledMarkdown:
    """The document's Markdown, outline and line counts.

    Args:
        document: its pages in the order of the file.
        options: how it is to be written.
        pictures: PNG or JPEG files by the names in the blocks; used where pictures go inline only.

    Raises:
        KeyError: a picture that is to go inline is not among them.
    """
    pages = mark_running(document.pages)
    flow = join_parts(
        [placed for page in pages for placed in place_blocks(page, options.headers_and_footers)]
    )
    levels = heading_levels(flow)
    fragments = _write(pages, flow, levels, options, pictures)
    outline = (
        Heading(levels[placed.key], one_line(placed.text), *placed.key)
        for placed in flow
        if placed.key in levels
    )
    counts = (count_lines(page, options) for page in pages)
    return AssembledMarkdown(joined(fragments), tuple(outline), tuple(counts))


def _write(
    pages: Sequence[ParsedPage],
    flow: Iterable[Placed],
    levels: Mapping[tuple[int, int], int],
    options: MarkdownOptions,
    pictures: Mapping[str, bytes],
) -> list[Fragment]:
    by_page: dict[int, list[Placed]] = {page.number: [] for page in pages}
    for placed in flow:
        by_page[placed.page.number].append(placed)
    fragments: list[Fragment] = []
    for index, page in enumerate(pages):
        if options.page_breaks and index:
            fragments.append(page_break(page.number))
        for placed in by_page[page.number]:
            fragments += write_block(placed, levels.get(placed.key, 0), options, pictures)
        if page.failure is not None:
            fragments.append(failed_page(page.number, page.failure))
    return fragments
