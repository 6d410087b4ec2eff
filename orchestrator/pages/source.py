"""Documents and their pages, for an event loop.

async with PageSource() as source:
    async with source.open(data) as document:
        async for page in document.pages(document.select("1-3")):
            ...
"""

import asyncio
import itertools
import os
from collections.abc import AsyncIterator, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from arcscribe.document import PageFailure
from arcscribe.errors import ArcscribeError, InvalidDocument, PasswordRequired, TooLarge
from arcscribe.types import RgbImage
from orchestrator.pages.formats import FileFormat, detect_format
from orchestrator.pages.limits import DEFAULT_DPI, MIB, PageLimits
from orchestrator.pages.messages import Failed, Open, Opened, Render, Reply, Request, anonymous_file
from orchestrator.pages.process import WorkerDied, WorkerProcess, WorkerTooSlow
from orchestrator.pages.selection import select_pages

_MAX_REQUESTS = 500  # then a worker is replaced, so that what a library leaks does not add up


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


class PageSource:
    """Opens documents, in a few worker processes that it starts, limits and replaces."""

    def __init__(self, limits: PageLimits = PageLimits(), workers: int = 1) -> None:  # noqa: B008 (immutable)
        self.limits = limits
        self._count = workers
        self._keys = itertools.count()
        self._workers: set[WorkerProcess] = set()
        self._idle: asyncio.Queue[WorkerProcess] = asyncio.Queue()
        # The thread of a cancelled request lives until its worker is gone, so there is one to spare.
        self._threads = ThreadPoolExecutor(workers + 1, thread_name_prefix="pages")

    @property
    def pids(self) -> tuple[int, ...]:
        """The workers' process ids."""
        return tuple(worker.pid for worker in self._workers)

    async def __aenter__(self) -> Self:
        for _ in range(self._count):
            self._idle.put_nowait(self._new_worker())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for worker in self._workers:
            worker.kill()
        self._workers.clear()
        self._threads.shutdown(wait=True)

    @asynccontextmanager
    async def open(self, data: bytes, *, name: str = "", password: str = "") -> AsyncIterator["OpenDocument"]:
        """Open a document for as long as the context lasts. `name` is used in messages only.

        The bytes are copied to where the workers can see them; a caller need not keep them.

        Raises:
            InvalidDocument: it is empty, damaged, without pages, or no format that can be parsed.
            TooLarge: it has more bytes or pixels than the limit.
            PasswordRequired: it is encrypted, and `password` does not open it.
        """
        self._check_bytes(len(data))
        file_format = detect_format(data, name)
        key = next(self._keys)
        descriptor = anonymous_file(data)
        del data
        try:
            limits = self.limits
            request = Open(key, file_format, password, limits.max_picture_megapixels, limits.max_page_seconds)
            reply, _ = await self.ask(request, descriptor)
            if not isinstance(reply, Opened):
                raise _opening_error(reply, name or "the document")
            if reply.page_count < 1:
                raise InvalidDocument(f"{name or 'the document'} has no pages")
            yield OpenDocument(self, descriptor, request, reply.page_count)
        finally:
            os.close(descriptor)

    async def ask(self, request: Request, descriptor: int) -> tuple[Reply, RgbImage | None]:
        """Let a worker answer; if it dies, a new one tries once more, with nothing else on its mind."""
        reply, pixels = await self._ask_once(request, descriptor)
        if reply is None:
            reply, pixels = await self._ask_once(request, descriptor)
        if reply is not None:
            return reply, pixels
        message = f"it ended the process that reads it; damaged, or over {self.limits.max_worker_mib} MiB"
        return Failed("INVALID_DOCUMENT", message), None

    async def _ask_once(self, request: Request, descriptor: int) -> tuple[Reply | None, RgbImage | None]:
        """The reply, or None where the worker died."""
        worker = await self._idle.get()
        sound = False
        try:
            future = self._threads.submit(worker.call, request, descriptor)
            reply, pixels = await asyncio.wrap_future(future)
            sound = not _leaves_doubt(reply) and worker.answered < _MAX_REQUESTS
        except WorkerDied:
            return None, None
        except WorkerTooSlow:
            return Failed("STAGE_TIMEOUT", f"it took longer than {request.seconds:g} seconds to read"), None
        else:
            return reply, pixels
        finally:
            self._idle.put_nowait(worker if sound else self._replaced(worker))

    def _replaced(self, worker: WorkerProcess) -> WorkerProcess:
        """A new worker for one that is dead, or deaf, or not to be trusted any more."""
        worker.kill()
        self._workers.discard(worker)
        return self._new_worker()

    def _new_worker(self) -> WorkerProcess:
        worker = WorkerProcess(self.limits.max_worker_mib)
        self._workers.add(worker)
        return worker

    def _check_bytes(self, size: int) -> None:
        most = self.limits.max_document_mib
        if size > most * MIB:
            raise TooLarge(
                f"the document has {size / MIB:.0f} MiB; the limit is {most} MiB",
                what="bytes",
                limit=str(most * MIB),
            )


class OpenDocument:
    """A document while it is open."""

    def __init__(self, source: PageSource, descriptor: int, opened: Open, page_count: int) -> None:
        self._source = source
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
        most = self._source.limits.max_pages
        if len(numbers) > most:
            raise TooLarge(
                f"{len(numbers)} pages are more than the limit of {most}; ask for fewer with a page range",
                what="pages",
                limit=str(most),
            )
        return numbers

    async def render(self, number: int, dpi: float = DEFAULT_DPI) -> Page | FailedPage:
        """Render one page, counted from 1. What goes wrong with it is an answer, not an exception."""
        limits = self._source.limits
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
        reply, pixels = await self._source.ask(request, self._descriptor)
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


def _leaves_doubt(reply: Reply) -> bool:
    """Whether the worker may be the worse for what it just read."""
    return isinstance(reply, Failed) and (reply.reason == "INVALID_DOCUMENT" or reply.limit == "memory")


def _opening_error(reply: Reply, name: str) -> ArcscribeError:
    assert isinstance(reply, Failed)
    message = f"{name}: {reply.message}"
    if reply.reason == PasswordRequired.reason:
        return PasswordRequired(message)
    if reply.reason == TooLarge.reason:
        return TooLarge(message, what="pixels", limit=reply.limit)
    return InvalidDocument(message)
