"""What a document names on other machines, or in other files, is never fetched."""

import asyncio
import socket
from collections.abc import Iterator

import pytest

from arcscribe.errors import InvalidDocument
from orchestrator.pages.open_document import Page
from orchestrator.pages.source import PageSource
from tests.orchestrator.pdf_files import assemble


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    """Somebody who would notice."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.setblocking(False)
        yield listening


def url_of(listener: socket.socket) -> str:
    return f"http://127.0.0.1:{listener.getsockname()[1]}/x"


def referring(url: str) -> bytes:
    """A page with a link, actions, and a picture, a font and an attachment that are elsewhere."""
    elsewhere = f"/FS /URL /F ({url})"
    objects = {
        1: f"<< /Type /Catalog /Pages 2 0 R /OpenAction << /S /URI /URI ({url}) >>"
        " /AcroForm << /Fields [5 0 R] >>"
        f" /Names << /EmbeddedFiles << /Names [(a) << {elsewhere} >>] >> >> >>",
        2: "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        3: "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 60 40] /Contents 4 0 R /Annots [5 0 R 6 0 R]"
        f" /AA << /O << /S /SubmitForm /F << {elsewhere} >> >> >>"
        " /Resources << /XObject << /X1 7 0 R >> /Font << /F1 8 0 R >> >> >>",
        4: "<< /Length 59 >>\nstream\n"
        "q 60 0 0 40 0 0 cm /X1 Do Q BT /F1 9 Tf 5 20 Td (words) Tj ET\nendstream",
        5: "<< /Type /Annot /Subtype /Widget /FT /Tx /T (t) /V (v) /Rect [0 0 20 10]"
        f" /AA << /F << /S /JavaScript /JS (this.getURL\\('{url}'\\)) >> >> >>",
        6: f"<< /Type /Annot /Subtype /Link /Rect [0 0 60 40] /A << /S /URI /URI ({url}) >> >>",
        7: "<< /Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceRGB /BitsPerComponent 8"
        f" /Length 0 /F << {elsewhere} >> >>\nstream\n\nendstream",
        8: "<< /Type /Font /Subtype /TrueType /BaseFont /Elsewhere /FontDescriptor 9 0 R >>",
        9: f"<< /Type /FontDescriptor /FontName /Elsewhere /Flags 32"
        f" /FontFile2 << /Length 0 /F ({url}) >> >>",
    }
    return assemble({number: body.encode() for number, body in objects.items()})


def test_a_pdf_that_refers_to_another_machine_is_drawn_without_asking_it(listener: socket.socket) -> None:
    async def drawn() -> list[object]:
        async with PageSource() as source, source.open(referring(url_of(listener))) as document:
            return [page async for page in document.pages(document.select(""), 72)]

    (page,) = asyncio.run(drawn())
    assert isinstance(page, Page)
    with pytest.raises(BlockingIOError):
        listener.accept()


@pytest.mark.parametrize(
    "form",
    [
        '<svg xmlns="http://www.w3.org/2000/svg"><image href="{}"/></svg>',
        '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e SYSTEM "{}">]><x>&e;</x>',
        '<html><img src="{}"></html>',
        "![x]({})",
        "{}",
    ],
)
def test_what_could_refer_to_another_machine_and_is_no_document_is_refused(
    listener: socket.socket, form: str
) -> None:
    async def opened() -> None:
        async with PageSource() as source, source.open(form.format(url_of(listener)).encode()):
            pass

    with pytest.raises(InvalidDocument):
        asyncio.run(opened())
    with pytest.raises(BlockingIOError):
        listener.accept()
