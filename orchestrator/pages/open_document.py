"""A document while it is open, and its pages."""

from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass

from arcscribe.document import PageFailure
from arcscribe.errors import TooLarge
from arcscribe.types import RgbImage
from orchestrator.pages.formats import FileFormat
from orchestrator.pages.limits import DEFAULT_DPI, PageLimits
from orchestrator.pages.messages import Failed, Open, Opened, Render
from orchestrator.pages.pool import WorkerPool
from orchestrator.pages.selection import select_pages


@dataclass(frozen=True, slots=True, eq=False)
class Page:
    """A rendered page. `number` counts from 1; `pixels` is RGB uint8 of shape (height, width, 3), read-only.

    `dpi` is the resolution at which a PDF page was rendered, 0 for a picture, which keeps its own pixels.
    """

    number: int
    pixels: RgbImage
    dpi: float


@dataclass(frozen=True, slots=True)
class FailedPage:
    """A page that could not be rendered; the other pages of the document are not touched by it."""

    number: int
    failure: PageFailure


class OpenDocument:
    """What `PageSource.open` gives: `opened` is the request that the workers know it by."""

    def __init__(
        self, pool: WorkerPool, limits: PageLimits, descriptor: int, opened: Open, page_count: int
    ) -> None:
        self._pool = pool
        self._limits = limits
        self._descriptor = descriptor
        self._opened = opened
        self.page_count = page_count

    @property
    def format(self) -> FileFormat:
        return FileFormat(self._opened.format)

    def select(self, spec: str = "") -> tuple[int, ...]:
        """The numbers of the pages that a specification such as `1-3,7` names; an empty one names all.

        Raises:
            InvalidOption: it is not a specification, or names pages that are not there.
            TooLarge: these are more pages than the limit.
        """
        numbers = select_pages(spec, self.page_count)
        most = self._limits.max_pages
        if len(numbers) > most:
            raise TooLarge(
                f"{len(numbers)} pages are more than the limit of {most}; ask for fewer with a page range",
                what="pages",
                limit=str(most),
            )
        return numbers

    async def render(self, number: int, dpi: float = DEFAULT_DPI) -> Page | FailedPage:
        """Render one page, counted from 1. What goes wrong with it is an answer, not an exception."""
        limits = self._limits
        request = Render(
            document=self._opened.document,
            format=self._opened.format,
            password=self._opened.password,
            index=number - 1,
            dpi=dpi,
            max_page_megapixels=limits.max_page_megapixels,
            max_picture_megapixels=limits.max_picture_megapixels,
            seconds=limits.max_page_seconds,
        )
        reply, pixels = await self._pool.ask(request, self._descriptor)
        if isinstance(reply, Failed):
            return FailedPage(number, PageFailure(reply.reason, reply.message))
        assert pixels is not None
        assert not isinstance(reply, Opened)
        return Page(number, pixels, reply.dpi)

    async def pages(
        self, numbers: Iterable[int], dpi: float = DEFAULT_DPI
    ) -> AsyncIterator[Page | FailedPage]:
        """Render pages one after the other, each when it is asked for."""
        for number in numbers:
            yield await self.render(number, dpi)
