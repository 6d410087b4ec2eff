"""What the parse API tells while it works: the events of one document, in the order in which they come.

`DocumentOpened` first; then, for each page, `RegionDone` as regions are read and one `PageDone` (pages in the
document's order), with `Progress` between; `DocumentDone` last. Where `ParseOptions.recognize` asks for it,
`RegionPartial`s come before the `RegionDone` of their region.
"""

from dataclasses import dataclass, field

from arcscribe.document import AssembledMarkdown, MarkdownOptions, ParsedPage
from arcscribe.types import Block, RecognizeOptions


@dataclass(frozen=True, slots=True)
class ParseOptions:
    """How a document is to be parsed.

    `pages` such as "1-3,7,9-" (empty: all); `dpi` for pages that are drawn, not stored as pixels, 0 for
    the service's default; `overlays` asks for a picture of each page with its regions drawn on it;
    `recognize` goes with every region to the VLM stage; with `layout_only` none goes there, and each block
    has an empty text, of no engine.
    """

    pages: str = ""
    password: str = field(default="", repr=False)
    dpi: int = 0
    skip_orientation: bool = False
    overlays: bool = False
    layout_only: bool = False
    markdown: MarkdownOptions = field(default_factory=MarkdownOptions)
    recognize: RecognizeOptions = field(default_factory=RecognizeOptions)


@dataclass(frozen=True, slots=True)
class DocumentOpened:
    """The document can be read. `page_count` is that of the file, `selected_pages` of what was asked for."""

    media_type: str
    page_count: int
    selected_pages: int
    request_id: str


@dataclass(frozen=True, slots=True)
class RegionPartial:
    """A region is being read: all of its text so far, of which newer events tell more.

    `order` is the region's place in the page's reading order, from 1, as overlays show it.
    """

    page_number: int
    region_id: int
    order: int
    text: str


@dataclass(frozen=True, slots=True)
class RegionDone:
    """A region has been read."""

    page_number: int
    block: Block


@dataclass(frozen=True, slots=True, repr=False)
class Picture:
    """A PNG file cut out of a page; `name` is made by the service and safe as a file name."""

    name: str
    data: bytes


@dataclass(frozen=True, slots=True, repr=False)
class PageDone:
    """All of a page is known. `overlay` is a JPEG file, empty unless asked for."""

    page: ParsedPage
    pictures: tuple[Picture, ...] = ()
    overlay: bytes = b""


@dataclass(frozen=True, slots=True)
class DocumentDone:
    """The Markdown of all pages, and the milliseconds from the first byte to it."""

    markdown: AssembledMarkdown
    milliseconds: float


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the document is."""

    pages_done: int
    pages_total: int
    regions_done: int


ParseEvent = DocumentOpened | RegionPartial | RegionDone | PageDone | DocumentDone | Progress
