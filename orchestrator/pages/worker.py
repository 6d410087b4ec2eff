"""A worker process: `python -m orchestrator.pages.worker CHANNEL MEMORY_MIB`.

CHANNEL is the descriptor of the socket on which `messages` travel. The worker ends when the other side closes
it, or when a request takes far longer than it may: the source, which would have ended it, is then gone.
"""

import errno
import os
import resource
import signal
import socket
import sys
from collections import OrderedDict
from contextlib import suppress

import msgspec
import pypdfium2
from PIL import UnidentifiedImageError

from orchestrator.pages.messages import Failed, Open, Opened, Reply, Request, receive_request, send
from orchestrator.pages.pdf import PdfFile
from orchestrator.pages.pictures import PictureFile

_MAX_OPEN = 4  # documents that are being parsed at the same time, more or less
_GRACE_SECONDS = 10
_SUCCESS = 0  # FPDF_ERR_SUCCESS
_PASSWORD_ERROR = 4  # FPDF_ERR_PASSWORD of fpdfview.h
_SECURITY_ERROR = 5  # FPDF_ERR_SECURITY

_NO_MEMORY = Failed("TOO_LARGE", "the page needs more memory than a page may take", limit="memory")

OpenFile = PdfFile | PictureFile


class OpenFiles:
    """The documents that were used last, so that their next pages need not open them again."""

    def __init__(self) -> None:
        self._files: OrderedDict[int, OpenFile] = OrderedDict()

    def take(self, request: Request, descriptor: int) -> OpenFile:
        """The document of a request. It owns the descriptor."""
        if request.document in self._files:
            os.close(descriptor)
        else:
            while len(self._files) >= _MAX_OPEN:
                self._files.popitem(last=False)[1].close()
            self._files[request.document] = _open(request, descriptor)
        self._files.move_to_end(request.document)
        return self._files[request.document]


def _open(request: Request, descriptor: int) -> OpenFile:
    if request.format == "PDF":
        return PdfFile(descriptor, request.password)
    return PictureFile(descriptor, request.format)


def answer(files: OpenFiles, request: Request, descriptor: int) -> tuple[Reply, int | None]:
    """The reply to a request, and the file that goes with it."""
    try:
        return _answer(files, request, descriptor)
    except pypdfium2.PdfiumError as error:
        return _pdf_failure(error), None
    except MemoryError:
        return _NO_MEMORY, None
    except (OSError, SyntaxError, ValueError, EOFError, ArithmeticError, LookupError, TypeError) as error:
        # Pillow's plugins raise nearly anything for damaged files.
        if isinstance(error, OSError) and error.errno == errno.ENOMEM:
            return _NO_MEMORY, None
        detail = "" if isinstance(error, UnidentifiedImageError) else f" ({error})"
        return Failed("INVALID_DOCUMENT", f"the {request.format} data are damaged{detail}"), None


def _answer(files: OpenFiles, request: Request, descriptor: int) -> tuple[Reply, int | None]:
    file = files.take(request, descriptor)
    if isinstance(request, Open):
        failure = file.check_size(request.max_megapixels) if isinstance(file, PictureFile) else None
        return failure or Opened(file.page_count), None
    if isinstance(file, PdfFile):
        return file.render(request.index, request.dpi, request.max_page_megapixels)
    return file.render(request.index, request.max_page_megapixels, request.max_picture_megapixels)


def _pdf_failure(error: pypdfium2.PdfiumError) -> Failed:
    if error.err_code == _PASSWORD_ERROR:
        return Failed("PASSWORD_REQUIRED", "the PDF is encrypted; the right password is needed to open it")
    if error.err_code == _SUCCESS:  # which is what it says of a document that opens and has no pages
        return Failed("INVALID_DOCUMENT", "the PDF has no pages, or they are damaged")
    if error.err_code == _SECURITY_ERROR:
        return Failed("INVALID_DOCUMENT", "the PDF is encrypted in a way that PDFium does not know")
    return Failed("INVALID_DOCUMENT", f"the PDF is damaged ({error})")


def limit_memory(mebibytes: int) -> None:
    """Let this process take so much memory more than it has now, where the system can limit it."""
    with suppress(OSError, ValueError):
        with open("/proc/self/statm") as statm:  # noqa: PTH123 (pathlib is not otherwise needed here)
            now = int(statm.read().split()[0]) * resource.getpagesize()
        most = now + mebibytes * 1024 * 1024
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a core file would hold the document


def serve(channel: socket.socket) -> None:
    """Answer requests until the other side is gone."""
    files = OpenFiles()
    while True:
        try:
            request, descriptor = receive_request(channel)
        except EOFError:
            return
        assert descriptor is not None
        signal.setitimer(signal.ITIMER_REAL, request.seconds + _GRACE_SECONDS)  # SIGALRM ends the process
        reply, pixels = answer(files, request, descriptor)
        signal.setitimer(signal.ITIMER_REAL, 0)
        send(channel, reply, pixels)
        if pixels is not None:
            os.close(pixels)


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which closes the channel
    channel = socket.socket(fileno=int(sys.argv[1]))
    limit_memory(int(sys.argv[2]))
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # libtiff and PDFium write there about the documents
    with suppress(OSError, msgspec.DecodeError):
        serve(channel)


if __name__ == "__main__":
    main()
