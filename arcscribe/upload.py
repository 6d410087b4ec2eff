"""A document on its way to the service: read in the background, and sent in chunks."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from arcscribe.errors import InvalidDocument
from arcscribe.v1 import parse_pb2

CHUNK_BYTES = 256 * 1024

Source = str | Path | bytes
"""A file's path, or a document's bytes."""

ResultT = TypeVar("ResultT")


class Upload:
    """A document on its way. gRPC cancels a call whose requests raise; `failure` is what they raised."""

    def __init__(self, start: parse_pb2.ParseStart, file: BinaryIO) -> None:
        self._start = start
        self._file = file
        self.failure: InvalidDocument | None = None

    async def requests(self) -> AsyncIterator[parse_pb2.ParseStreamRequest]:
        yield parse_pb2.ParseStreamRequest(start=self._start)
        try:
            while chunk := await _in_background(self._file.read, CHUNK_BYTES):
                yield parse_pb2.ParseStreamRequest(chunk=chunk)
        except (OSError, ValueError) as error:  # ValueError: closed, since nobody wants it any more
            self.failure = InvalidDocument(f"{self._start.name}: {_in_words(error)}")
            raise

    def close(self) -> None:
        self._file.close()


async def open_source(source: Source) -> BinaryIO:
    """A document to be read; a pipe is waited for.

    Raises:
        InvalidDocument: the file is absent, a folder, or not readable.
    """
    return await _in_background(_open, source)


def check_readable(path: Path) -> None:
    """Says in one line why a file cannot be read, before anything is started for it.

    Raises:
        InvalidDocument: it is absent, a folder, or not readable.
    """
    if not path.is_fifo():  # opening it and closing it again would end who writes there
        _open(path).close()


def as_unicode(name: str) -> str:
    """The name, with question marks for what a file's name may hold and UTF-8 may not."""
    return name.encode("utf-8", "replace").decode("utf-8")


def _open(source: Source) -> BinaryIO:
    if isinstance(source, bytes):
        return BytesIO(source)
    try:
        return Path(source).open("rb", buffering=0)  # else it could not be closed while a thread reads
    except OSError as error:
        raise InvalidDocument(f"{source}: {_in_words(error)}") from error


async def _in_background(function: Callable[..., ResultT], *arguments: Any) -> ResultT:
    """What a function gives that may block for ever, as pipes do in which nobody writes.

    Unlike one of `asyncio.to_thread`, its thread does not keep the program from ending.
    """
    future: Future[ResultT] = Future()

    def run() -> None:
        future.set_running_or_notify_cancel()  # from here on it cannot be cancelled, only be left alone
        try:
            future.set_result(function(*arguments))
        except Exception as error:
            future.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return await asyncio.wrap_future(future)


def _in_words(error: Exception) -> str:
    return ((error.strerror if isinstance(error, OSError) else "") or str(error)).lower()
