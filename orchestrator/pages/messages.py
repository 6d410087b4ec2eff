"""What the page source and its workers say to each other, one request and one reply at a time.

A message is one line of JSON on a Unix socket. Bytes do not go through it: a request carries the descriptor
of an anonymous file with the document, the reply to `Render` one with the pixels. Both live in memory, have
no name, and are gone with their last user.
"""

import os
import socket
import tempfile
from contextlib import suppress

import msgspec


class Open(msgspec.Struct, frozen=True, tag=True):
    """Open a document and count its pages. `document` is a number that the source gives it."""

    document: int
    format: str
    password: str
    max_megapixels: float
    seconds: float


class Render(msgspec.Struct, frozen=True, tag=True):
    """Render one page; `index` counts from 0."""

    document: int
    format: str
    password: str
    index: int
    dpi: float
    max_page_megapixels: float
    max_picture_megapixels: float
    seconds: float


class Opened(msgspec.Struct, frozen=True, tag=True):
    """The document is one, and has so many pages."""

    page_count: int


class Rendered(msgspec.Struct, frozen=True, tag=True):
    """The page's RGB pixels are in the file that comes along; `dpi` is 0 for pictures."""

    width: int
    height: int
    dpi: float


class Failed(msgspec.Struct, frozen=True, tag=True):
    """It did not work. `reason` is a word of `arcscribe.errors`; `limit` names what `TOO_LARGE` is about."""

    reason: str
    message: str
    limit: str = ""


_LINE_BYTES = 65536  # read at once; nearly every message is shorter

Request = Open | Render
Reply = Opened | Rendered | Failed

_requests = msgspec.json.Decoder(Request)
_replies = msgspec.json.Decoder(Reply)


def send(channel: socket.socket, message: Request | Reply, descriptor: int | None = None) -> None:
    """Send a message and, if there is one, a file.

    Raises:
        OSError: the other side is gone, or the channel's timeout passed.
    """
    line = msgspec.json.encode(message) + b"\n"
    sent = socket.send_fds(channel, [line], [] if descriptor is None else [descriptor])
    channel.sendall(line[sent:])


def receive_request(channel: socket.socket) -> tuple[Request, int | None]:
    """The next request, and the descriptor that came with it, which is then the caller's to close.

    Raises:
        EOFError: the other side is gone.
    """
    line, descriptor = _receive(channel)
    return _requests.decode(line), descriptor


def receive_reply(channel: socket.socket) -> tuple[Reply, int | None]:
    """The next reply, and the descriptor that came with it, which is then the caller's to close.

    Raises:
        EOFError: the other side is gone.
        TimeoutError: the channel's timeout passed.
    """
    line, descriptor = _receive(channel)
    return _replies.decode(line), descriptor


def _receive(channel: socket.socket) -> tuple[bytes, int | None]:
    line, descriptor = b"", None
    while not line.endswith(b"\n"):
        chunk, descriptors, _, _ = socket.recv_fds(channel, _LINE_BYTES, 1)
        descriptor = descriptors[0] if descriptors else descriptor
        if not chunk:
            if descriptor is not None:
                os.close(descriptor)
            raise EOFError("the other side closed the channel")
        line += chunk
    return line, descriptor


def anonymous_file(content: bytes = b"", size: int = 0) -> int:
    """The descriptor of a new file without a name, in memory where the system can, that holds the content.

    It is at least `size` bytes long. The caller closes it.
    """
    if hasattr(os, "memfd_create"):
        descriptor = os.memfd_create("arcscribe-page")
    else:
        with tempfile.TemporaryFile() as file:
            descriptor = os.dup(file.fileno())
    try:
        rest = memoryview(content)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        if size > len(content):
            os.ftruncate(descriptor, size)
    except BaseException:
        with suppress(OSError):
            os.close(descriptor)
        raise
    return descriptor
