"""Documents and their pages, for an event loop.

async with PageSource() as source:
    async with source.open(data) as document:
        async for page in document.pages(document.select("1-3")):
            ...
"""

import itertools
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Self

from arcscribe.errors import ArcscribeError, InvalidDocument, PasswordRequired, TooLarge
from orchestrator.pages.formats import detect_format
from orchestrator.pages.limits import MIB, PageLimits
from orchestrator.pages.messages import Failed, Open, Opened, Reply, anonymous_file
from orchestrator.pages.open_document import OpenDocument
from orchestrator.pages.pool import WorkerPool


class PageSource:
    """Opens documents, in a few worker processes that it starts, limits and replaces."""

    def __init__(self, limits: PageLimits = PageLimits(), workers: int = 1) -> None:  # noqa: B008 (immutable)
        self.limits = limits
        self.pool = WorkerPool(workers, limits.max_worker_mib)
        self._keys = itertools.count()

    async def __aenter__(self) -> Self:
        self.pool.start()
        return self

    async def __aexit__(self, *_error: object) -> None:
        self.pool.stop()

    @asynccontextmanager
    async def open(self, data: bytes, *, name: str = "", password: str = "") -> AsyncIterator[OpenDocument]:
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
            reply, _ = await self.pool.ask(request, descriptor)
            if not isinstance(reply, Opened):
                raise _opening_error(reply, name or "the document")
            if reply.page_count < 1:
                raise InvalidDocument(f"{name or 'the document'} has no pages")
            yield OpenDocument(self.pool, limits, descriptor, request, reply.page_count)
        finally:
            os.close(descriptor)

    def _check_bytes(self, size: int) -> None:
        most = self.limits.max_document_mib
        if size > most * MIB:
            raise TooLarge(
                f"the document has {size / MIB:.0f} MiB; the limit is {most} MiB",
                what="bytes",
                limit=str(most * MIB),
            )


def _opening_error(reply: Reply, name: str) -> ArcscribeError:
    assert isinstance(reply, Failed)
    message = f"{name}: {reply.message}"
    if reply.reason == PasswordRequired.reason:
        return PasswordRequired(message)
    if reply.reason == TooLarge.reason:
        return TooLarge(message, what="pixels", limit=reply.limit)
    return InvalidDocument(message)
