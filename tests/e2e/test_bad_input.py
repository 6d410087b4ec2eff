"""Documents that are broken, empty, huge or locked: a typed error or a partial result, never a traceback."""

import io
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from arcscribe.client import Client
from arcscribe.errors import InvalidDocument, InvalidOption, PasswordRequired, TooLarge
from arcscribe.events import DocumentDone, PageDone, ParseOptions
from arcscribe.tools.local_service import LocalService
from arcscribe.types import RegionKind
from tests.e2e.command import run
from tests.orchestrator.pdf_files import encrypted_pdf, pdf, text_pdf


@pytest.fixture(scope="module")
def client(service: LocalService) -> Iterator[Client]:
    with Client(service.address, timeout_seconds=170) as made:
        yield made


def png(pixels: np.ndarray) -> bytes:
    out = io.BytesIO()
    Image.fromarray(pixels).save(out, "PNG")
    return out.getvalue()


def bomb(side: int) -> bytes:
    """A PNG file of side x side grey pixels in a few kilobytes."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    rows = zlib.compressobj(9)
    packed = b"".join(rows.compress(bytes(side + 1)) for _ in range(side)) + rows.flush()
    head = struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", packed) + chunk(b"IEND", b"")


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "empty"),
        (b"this is no PDF, whatever it is called", "not a document"),
        (b"%PDF-1.7\nand then nothing that a PDF has", "PDF"),
        (text_pdf(["some text"])[:200], "PDF"),
    ],
    ids=["zero bytes", "text", "a header and no more", "truncated"],
)
def test_bytes_that_are_no_document_are_an_invalid_document(client: Client, data: bytes, words: str) -> None:
    with pytest.raises(InvalidDocument, match=words):
        client.parse(data, name="broken.pdf")


@pytest.mark.parametrize("password", ["", "wrong"])
def test_an_encrypted_pdf_asks_for_its_password(client: Client, password: str) -> None:
    with pytest.raises(PasswordRequired):
        client.parse(encrypted_pdf("secret", "open sesame"), ParseOptions(password=password))


def test_an_encrypted_pdf_opens_with_its_password(client: Client) -> None:
    data = encrypted_pdf("Confidential", "open sesame")
    assert "Confidential" in client.parse(data, ParseOptions(password="open sesame")).markdown


def test_a_page_of_14400_points_is_parsed_at_a_lower_resolution(client: Client) -> None:
    parsed = client.parse(pdf([b"/MediaBox [0 0 14400 14400]"]))
    page = parsed.document.pages[0]
    assert page.failure is None
    assert page.width * page.height <= 16_000_000


def test_a_picture_of_one_pixel_is_an_empty_document(client: Client) -> None:
    parsed = client.parse(png(np.zeros((1, 1, 3), np.uint8)))
    assert (parsed.document.pages[0].width, parsed.document.pages[0].height) == (1, 1)
    assert parsed.document.pages[0].blocks == ()
    assert parsed.markdown.strip() == ""


def test_a_png_bomb_is_too_large_and_names_the_limit(client: Client) -> None:
    data = bomb(10_240)
    assert len(data) < 200_000
    with pytest.raises(TooLarge, match="90") as caught:
        client.parse(data)
    assert caught.value.details["what"] == "pixels"


def test_a_blank_page_gives_no_text_and_no_failure(client: Client) -> None:
    parsed = client.parse(png(np.full((1100, 850, 3), 255, np.uint8)))
    assert parsed.document.pages[0].failure is None
    assert parsed.markdown.strip() == ""
    assert parsed.assembled.total.found == 0


def test_a_page_with_only_a_picture_keeps_the_picture_or_nothing_but_no_text(client: Client) -> None:
    page = np.full((1100, 850, 3), 255, np.uint8)
    page[200:700, 150:700] = np.random.default_rng(5).integers(0, 255, (500, 550, 3), np.uint8)
    parsed = client.parse(png(page))
    assert parsed.document.pages[0].failure is None
    assert {block.region.kind for block in parsed.document.pages[0].blocks} <= {
        RegionKind.IMAGE,
        RegionKind.CHART,
    }
    assert len(parsed.pictures) == len(parsed.document.pages[0].blocks)


def test_three_hundred_pages_come_one_by_one_and_in_order(client: Client) -> None:
    data = text_pdf([f"Page {number}" for number in range(1, 301)], size=(120, 60))
    numbers, text = [], ""
    for event in client.stream(data, ParseOptions(skip_orientation=True)):
        if isinstance(event, PageDone):
            numbers.append(event.page.number)
        elif isinstance(event, DocumentDone):
            text = event.markdown.text
    assert numbers == list(range(1, 301))
    assert sum(f"{number}" in text for number in range(1, 301)) >= 297


def test_after_any_broken_document_the_next_one_is_right(client: Client) -> None:
    with pytest.raises(InvalidDocument):
        client.parse(text_pdf(["some text"])[:200])
    assert "Afterwards" in client.parse(text_pdf(["Afterwards"])).markdown


def test_pages_that_are_not_there_are_an_invalid_option(client: Client) -> None:
    with pytest.raises(InvalidOption, match="3") as caught:
        client.parse(text_pdf(["One page"]), ParseOptions(pages="3"))
    assert caught.value.details["field"] == "pages"


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("empty.pdf", b"", "empty.pdf"),
        ("text.pdf", b"not a PDF", "text.pdf"),
        ("cut.png", b"\x89PNG\r\n\x1a\n", "cut.png"),
    ],
)
def test_the_command_names_the_broken_file_in_one_line_and_writes_nothing(
    service: LocalService, tmp_path: Path, name: str, data: bytes, words: str
) -> None:
    source, out = tmp_path / name, tmp_path / "out.md"
    source.write_bytes(data)
    run("parse", source, "-o", out, "--server", service.address).assert_one_clear_line(words)
    assert not out.exists()
    assert {path.name for path in tmp_path.iterdir()} == {name}


def test_the_command_says_that_a_file_is_not_there(tmp_path: Path) -> None:
    run("parse", tmp_path / "absent.pdf").assert_one_clear_line("absent.pdf", "no such file")


def test_of_several_files_the_good_ones_are_written_and_the_broken_one_is_named(
    service: LocalService, tmp_path: Path
) -> None:
    good, broken, out = tmp_path / "good.pdf", tmp_path / "broken.pdf", tmp_path / "out"
    good.write_bytes(text_pdf(["Good"]))
    broken.write_bytes(b"%PDF-")
    outcome = run("parse", broken, good, "-o", out, "--server", service.address)
    assert outcome.code == 1
    assert [path.name for path in out.iterdir()] == ["good.md"]
    assert sum(line.startswith("error: ") for line in outcome.err.splitlines()) == 1
    assert "broken.pdf" in outcome.err
