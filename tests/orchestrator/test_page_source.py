import asyncio
import io
import os
import signal
import struct
import subprocess
import sys
import time
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import TypeVar

import numpy as np
import psutil
import pytest
from PIL import Image, TiffImagePlugin
from prometheus_client import REGISTRY

from arcscribe.errors import InvalidDocument, InvalidOption, PasswordRequired, TooLarge
from arcscribe.types import RgbImage
from orchestrator.pages import pool
from orchestrator.pages.limits import PageLimits
from orchestrator.pages.open_document import FailedPage, OpenDocument, Page
from orchestrator.pages.source import PageSource
from tests.orchestrator.pdf_files import encrypted_pdf, pdf, scan_pdf, text_pdf

T = TypeVar("T")
RED, WHITE = (255, 0, 0), (255, 255, 255)


def with_source(work: Callable[[PageSource], Awaitable[T]], limits: PageLimits = PageLimits()) -> T:  # noqa: B008
    async def run() -> T:
        async with PageSource(limits) as source:
            return await work(source)

    return asyncio.run(run())


async def pages_of(
    source: PageSource, data: bytes, spec: str = "", dpi: float = 72, password: str = ""
) -> list[Page | FailedPage]:
    async with source.open(data, password=password) as document:
        return [page async for page in document.pages(document.select(spec), dpi)]


def render_all(data: bytes, spec: str = "", dpi: float = 72, password: str = "") -> list[Page | FailedPage]:
    return with_source(lambda source: pages_of(source, data, spec, dpi, password))


def render(data: bytes, dpi: float = 72, password: str = "") -> RgbImage:
    (page,) = render_all(data, dpi=dpi, password=password)
    assert isinstance(page, Page), page
    assert page.pixels.dtype == np.uint8
    return page.pixels


def encoded(picture: Image.Image, picture_format: str, **options: object) -> bytes:
    out = io.BytesIO()
    picture.save(out, picture_format, **options)
    return out.getvalue()


def color_at(pixels: RgbImage, x: int, y: int) -> tuple[int, ...]:
    return tuple(int(value) for value in pixels[y, x])


def test_a_pdf_page_is_rendered_at_the_resolution_that_is_asked_for() -> None:
    pixels = render(text_pdf(["Hello"], size=(300, 200)), dpi=144)
    assert pixels.shape == (400, 600, 3)
    assert pixels.min() < 50
    assert color_at(pixels, 0, 0) == WHITE


def test_only_the_pages_that_are_asked_for_are_rendered_and_keep_their_numbers() -> None:
    pages = render_all(text_pdf(["1", "2", "3", "4"]), spec="4,2-3")
    assert [page.number for page in pages] == [2, 3, 4]


def test_pages_outside_the_document_are_an_invalid_option() -> None:
    with pytest.raises(InvalidOption, match="outside the document"):
        render_all(text_pdf(["1"]), spec="2")


def test_a_rotated_pdf_page_comes_as_a_reader_shows_it() -> None:
    assert render(pdf([b"/MediaBox [0 0 100 50] /Rotate 90"])).shape == (100, 50, 3)


def test_a_page_of_14400_points_is_rendered_at_a_lower_resolution() -> None:
    (page,) = render_all(pdf([b"/MediaBox [0 0 14400 14400]"]), dpi=200)
    assert isinstance(page, Page)
    assert 15.5e6 < page.pixels.shape[0] * page.pixels.shape[1] <= 16e6
    assert page.dpi < 21


def test_a_page_like_a_ribbon_is_rendered() -> None:
    pixels = render(pdf([b"/MediaBox [0 0 14400 1]"]), dpi=200)
    assert max(pixels.shape) <= 30_001


def test_a_scan_on_a_page_of_its_own_pixels_is_not_blown_up() -> None:
    scan = scan_pdf(bytes(1200 * 1700), (1200, 1700), size=(1200, 1700))
    assert render(scan, dpi=200).shape[0] == 2339  # no fewer pixels than A4 at 200 dpi has


def test_a_scan_on_a_stamp_keeps_its_detail() -> None:
    scan = scan_pdf(bytes(1200 * 1600), (1200, 1600), size=(36, 48))
    assert render(scan, dpi=200).shape == (1600, 1200, 3)


def test_a_scan_that_cannot_be_decoded_is_a_failed_page_and_not_a_blank_one() -> None:
    (page,) = render_all(scan_pdf(b"", (100, 100), size=(100, 100), coded=b"no such thing as flate data"))
    assert isinstance(page, FailedPage)
    assert "damaged" in page.failure.message


@pytest.mark.parametrize("content", [b"", b"q Q", b"% a note"])
def test_a_page_that_shows_nothing_is_a_blank_page(content: bytes) -> None:
    blank = text_pdf([""]).replace(b"() Tj", content.ljust(5)[:5])
    assert render(blank).min() == 255


def test_a_page_whose_content_is_lost_is_a_failed_page_and_not_a_blank_one() -> None:
    (page,) = render_all(text_pdf(["Text"]).replace(b"4 0 obj", b"9 0 obj"))
    assert isinstance(page, FailedPage)
    assert "damaged or missing" in page.failure.message


def test_a_blank_scan_is_a_blank_page() -> None:
    assert render(scan_pdf(b"\xff" * 10_000, (100, 100), size=(100, 100))).min() == 255


@pytest.mark.parametrize("data", [b"", b"\0", b"just text", b"%PDF-1.7\n", b"\x89PNG\r\n\x1a\n", b"II*\0"])
def test_what_is_not_a_document_is_refused(data: bytes) -> None:
    with pytest.raises(InvalidDocument):
        render_all(data)


def test_the_message_names_the_file_and_what_it_is_instead() -> None:
    async def work(source: PageSource) -> None:
        async with source.open(b"PK\x03\x04....", name="contract.pdf"):
            pass

    with pytest.raises(InvalidDocument, match=r"contract\.pdf is a ZIP archive or an Office document"):
        with_source(work)


def test_a_pdf_without_pages_is_refused() -> None:
    with pytest.raises(InvalidDocument, match="no pages"):
        render_all(pdf([]))


def test_a_pdf_that_lost_its_end_gives_the_pages_that_are_left() -> None:
    whole = text_pdf(["Hello"])
    assert render(whole[: whole.index(b"startxref")].replace(b"xref", b"....")).min() < 50


def test_a_pdf_of_which_the_head_is_left_is_refused() -> None:
    whole = text_pdf(["Hello"])
    with pytest.raises(InvalidDocument, match="damaged"):
        render_all(whole[: len(whole) // 2])


def test_a_page_that_is_gone_fails_alone() -> None:
    data = text_pdf(["1", "2", "3"]).replace(b"/Kids [3 0 R 5 0 R 7 0 R]", b"/Kids [3 0 R 99 0 R 7 0 R]")
    kinds = [type(page) for page in render_all(data)]
    assert kinds == [Page, FailedPage, Page]


def test_an_encrypted_pdf_opens_with_its_password() -> None:
    assert render(encrypted_pdf("Secret", "hunter2"), password="hunter2").min() < 50


@pytest.mark.parametrize("password", ["", "wrong", "пароль"])
def test_an_encrypted_pdf_asks_for_its_password(password: str) -> None:
    with pytest.raises(PasswordRequired):
        render_all(encrypted_pdf("Secret", "hunter2"), password=password)


def test_the_document_after_one_that_failed_is_right() -> None:
    async def work(source: PageSource) -> None:
        for bad in (
            b"%PDF-1.7\nrubbish",
            encrypted_pdf("Secret", "x"),
            encoded(Image.new("L", (9, 9)), "PNG")[:50],
        ):
            with suppress(InvalidDocument, PasswordRequired):
                await pages_of(source, bad)
            (page,) = await pages_of(source, text_pdf(["Hello"]))
            assert isinstance(page, Page)

    with_source(work)


def picture(mode: str, color: object = RED) -> Image.Image:
    return Image.new("RGB", (40, 20), color).convert(mode)  # type: ignore[arg-type]  # a colour of any mode


@pytest.mark.parametrize(
    ("picture_format", "mode"),
    [
        ("PNG", "RGB"),
        ("PNG", "P"),
        ("BMP", "RGB"),
        ("GIF", "P"),
        ("TIFF", "RGB"),
        ("TIFF", "CMYK"),
        ("JPEG", "CMYK"),
        ("JPEG", "RGB"),
        ("WEBP", "RGB"),
    ],
)
def test_pictures_of_each_format_and_mode_come_as_rgb(picture_format: str, mode: str) -> None:
    pixels = render(encoded(picture(mode), picture_format))
    assert pixels.shape == (20, 40, 3)
    assert np.abs(pixels.astype(int) - np.array(RED)).max() < 12


@pytest.mark.parametrize("mode", ["L", "1"])
def test_grey_and_bilevel_pictures_come_as_rgb(mode: str) -> None:
    assert color_at(render(encoded(picture(mode, WHITE), "PNG")), 5, 5) == WHITE


@pytest.mark.parametrize("mode", ["RGBA", "LA"])
def test_transparent_parts_are_white(mode: str) -> None:
    transparent = Image.new(mode, (4, 4))
    assert color_at(render(encoded(transparent, "PNG")), 2, 2) == WHITE


def test_a_transparent_palette_colour_is_white() -> None:
    data = encoded(Image.new("P", (4, 4), 0), "PNG", transparency=0)
    assert color_at(render(data), 2, 2) == WHITE


@pytest.mark.parametrize("picture_format", ["PNG", "TIFF"])
def test_16_bits_are_scaled_and_not_clipped(picture_format: str) -> None:
    deep = Image.fromarray(np.full((4, 4), 0x8000, dtype=np.uint16))
    assert color_at(render(encoded(deep, picture_format)), 1, 1) == (128, 128, 128)


def test_a_float_picture_is_scaled_to_its_range() -> None:
    ramp = Image.fromarray(np.array([[0.0, 0.5, 1.0]], dtype=np.float32))
    assert render(encoded(ramp, "TIFF"))[0, :, 0].tolist() == pytest.approx([0, 127, 255], abs=1)


def _marked() -> Image.Image:
    upright = Image.new("RGB", (40, 20), WHITE)
    upright.paste(RED, (0, 0, 10, 5))  # at the top left
    return upright


TURNED = {3: Image.Transpose.ROTATE_180, 6: Image.Transpose.ROTATE_90, 8: Image.Transpose.ROTATE_270}


@pytest.mark.parametrize("picture_format", ["JPEG", "PNG", "WEBP", "TIFF"])
@pytest.mark.parametrize("orientation", TURNED)
def test_exif_rotation_is_undone(picture_format: str, orientation: int) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    pixels = render(encoded(_marked().transpose(TURNED[orientation]), picture_format, exif=exif))
    assert pixels.shape == (20, 40, 3)
    assert color_at(pixels, 4, 2)[1] < 60
    assert color_at(pixels, 35, 15)[1] > 200


def test_each_page_of_a_tiff_is_a_page() -> None:
    first, second = picture("RGB", WHITE), picture("RGB", RED).resize((10, 10))
    data = encoded(first, "TIFF", save_all=True, append_images=[second])
    pages = render_all(data)
    assert [page.pixels.shape for page in pages if isinstance(page, Page)] == [(20, 40, 3), (10, 10, 3)]


def test_of_an_animation_the_first_frame_counts() -> None:
    data = encoded(picture("P"), "GIF", save_all=True, append_images=[picture("P", WHITE)])
    assert len(render_all(data)) == 1


def test_a_picture_of_one_pixel_is_a_page() -> None:
    assert render(encoded(Image.new("L", (1, 1), 255), "PNG")).shape == (1, 1, 3)


def test_a_truncated_picture_is_a_failed_page() -> None:
    noise = np.random.default_rng(0).integers(0, 255, (100, 100), dtype=np.uint8)
    data = encoded(Image.fromarray(noise), "PNG")
    (page,) = render_all(data[: len(data) // 2])
    assert isinstance(page, FailedPage)
    assert page.failure.reason == "INVALID_DOCUMENT"


def png_bomb(side: int, bit_depth: int = 8, color_type: int = 2) -> bytes:
    """A PNG of zeros: some kilobytes that ask for side * side * 3 bytes."""
    row = 1 + side * 3 * bit_depth // 8

    def chunk(name: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))

    packer = zlib.compressobj(9)
    data = b"".join(packer.compress(bytes(row)) for _ in range(side)) + packer.flush()
    head = struct.pack(">IIBBBBB", side, side, bit_depth, color_type, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def test_a_png_of_100_megapixels_is_refused_before_it_is_decoded() -> None:
    bomb = png_bomb(10_000)
    assert len(bomb) < 400_000
    began = time.monotonic()
    with pytest.raises(TooLarge, match="90 megapixels") as caught:
        render_all(bomb)
    assert time.monotonic() - began < 5
    assert caught.value.details["what"] == "pixels"


def test_a_large_picture_is_scaled_down_to_a_page() -> None:
    pixels = render(png_bomb(6_000))
    assert 15.9e6 < pixels.shape[0] * pixels.shape[1] <= 16e6


def test_a_jpeg_over_the_limit_of_other_pictures_is_decoded_smaller() -> None:
    data = encoded(Image.new("L", (11_000, 11_000), 200), "JPEG")
    pixels = render(data)
    assert pixels.shape[0] <= 4_000
    assert abs(int(pixels[0, 0, 0]) - 200) < 5


def test_a_bilevel_tiff_over_the_limit_of_other_pictures_is_scaled_down() -> None:
    data = encoded(Image.new("1", (14_000, 10_000), 1), "TIFF", compression="group4")
    pixels = render(data)
    assert pixels.shape[0] * pixels.shape[1] <= 16e6
    assert color_at(pixels, 0, 0) == WHITE


def test_more_bytes_than_the_limit_are_refused() -> None:
    with pytest.raises(TooLarge, match="the limit is 1 MiB") as caught:
        with_source(
            lambda source: pages_of(source, b"%PDF-" + bytes(2 << 20)), PageLimits(max_document_mib=1)
        )
    assert caught.value.details == {"what": "bytes", "limit": str(1 << 20)}


def test_more_pages_than_the_limit_are_refused_and_a_range_of_them_is_not() -> None:
    data = text_pdf(["1", "2", "3"])

    async def work(source: PageSource) -> int:
        with pytest.raises(TooLarge, match="limit of 2"):
            await pages_of(source, data)
        return len(await pages_of(source, data, "2-3"))

    assert with_source(work, PageLimits(max_pages=2)) == 2


@asynccontextmanager
async def stopped_worker(
    source: PageSource, document: OpenDocument
) -> AsyncIterator[tuple[int, asyncio.Task[Page | FailedPage]]]:
    """A worker that has been given a page and does not get on with it."""
    (pid,) = source.pool.pids
    os.kill(pid, signal.SIGSTOP)
    task = asyncio.create_task(document.render(1, 72))
    await asyncio.sleep(0.1)
    yield pid, task


def restarts(cause: str) -> float:
    return REGISTRY.get_sample_value("arcscribe_page_worker_restarts_total", {"cause": cause}) or 0.0


def test_a_worker_that_is_killed_is_replaced_and_the_page_tried_again() -> None:
    died = restarts("died")

    async def work(source: PageSource) -> None:
        async with (
            source.open(text_pdf(["1", "2"])) as document,
            stopped_worker(source, document) as (pid, task),
        ):
            os.kill(pid, signal.SIGKILL)
            assert isinstance(await task, Page)
            assert isinstance(await document.render(2, 72), Page)
            assert source.pool.pids != (pid,)

    with_source(work)
    assert restarts("died") == died + 1


def test_a_page_that_kills_the_worker_twice_fails_alone() -> None:
    async def work(source: PageSource) -> None:
        async with source.open(text_pdf(["1", "2"])) as document:
            task = None
            for _ in range(2):
                (pid,) = source.pool.pids
                os.kill(pid, signal.SIGSTOP)
                task = task or asyncio.create_task(document.render(1, 72))
                await asyncio.sleep(0.1)
                os.kill(pid, signal.SIGKILL)
                while source.pool.pids == (pid,):  # noqa: ASYNC110 (the next one is stopped before it has loaded)
                    await asyncio.sleep(0)
            assert task is not None
            assert isinstance(await task, FailedPage)
            assert isinstance(await document.render(2, 72), Page)

    with_source(work)


def test_a_worker_that_has_answered_often_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "MAX_REQUESTS", 3)

    async def work(source: PageSource) -> None:
        before = source.pool.pids
        async with source.open(text_pdf(["1", "2"])) as document:
            await document.render(1, 72)
            assert source.pool.pids == before
            await document.render(2, 72)
            assert source.pool.pids != before
            assert isinstance(await document.render(1, 72), Page)

    with_source(work)


def test_a_worker_may_leave_no_core_file_which_would_hold_the_document() -> None:
    async def work(source: PageSource) -> tuple[int, int]:
        await pages_of(source, text_pdf(["1"]))
        (pid,) = source.pool.pids
        return psutil.Process(pid).rlimit(psutil.RLIMIT_CORE)

    assert with_source(work) == (0, 0)


def test_a_page_that_takes_too_long_is_given_up() -> None:
    async def work(source: PageSource) -> None:
        async with (
            source.open(text_pdf(["1", "2"])) as document,
            stopped_worker(source, document) as (_, task),
        ):
            page = await task
            assert isinstance(page, FailedPage)
            assert page.failure.reason == "STAGE_TIMEOUT"
            assert isinstance(await document.render(2, 72), Page)

    with_source(work, PageLimits(max_page_seconds=2))


def test_a_page_that_needs_too_much_memory_fails_alone() -> None:
    async def work(source: PageSource) -> None:
        heavy = png_bomb(8_000)
        (page,) = await pages_of(source, heavy)
        assert isinstance(page, FailedPage)
        assert page.failure.reason == "TOO_LARGE"
        (page,) = await pages_of(source, text_pdf(["Hello"]))
        assert isinstance(page, Page)

    with_source(work, PageLimits(max_worker_mib=100))


def test_a_cancelled_page_leaves_a_source_that_works() -> None:
    async def work(source: PageSource) -> None:
        async with source.open(text_pdf(["1", "2"])) as document:
            async with stopped_worker(source, document) as (_, task):
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task
            assert isinstance(await document.render(2, 72), Page)

    with_source(work)


def test_no_worker_and_no_descriptor_is_left_behind() -> None:
    before = psutil.Process().num_fds()

    async def work(source: PageSource) -> tuple[int, ...]:
        for _ in range(20):
            await pages_of(source, text_pdf(["1", "2"]))
            with suppress(InvalidDocument):
                await pages_of(source, b"%PDF-1.7 rubbish")
        return source.pool.pids

    pids = with_source(work)
    assert not any(psutil.pid_exists(pid) for pid in pids)
    assert psutil.Process().num_fds() <= before + 2


ORPHAN = """
import asyncio
from orchestrator.pages.source import PageSource

async def main():
    async with PageSource() as source:
        print(source.pool.pids[0], flush=True)
        await asyncio.sleep(60)

asyncio.run(main())
"""


def test_a_worker_ends_when_its_parent_is_killed() -> None:
    with subprocess.Popen([sys.executable, "-c", ORPHAN], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        worker = psutil.Process(int(parent.stdout.readline()))
        parent.kill()
    worker.wait(timeout=10)


def test_documents_are_opened_side_by_side() -> None:
    async def work(source: PageSource) -> None:
        results = await asyncio.gather(
            *(pages_of(source, text_pdf(["x"] * n, (100 + n, 50))) for n in range(1, 9))
        )
        for n, pages in enumerate(results, start=1):
            assert [page.pixels.shape for page in pages if isinstance(page, Page)] == [(50, 100 + n, 3)] * n

    with_source(work)


@pytest.mark.parametrize("kind", ["PDF", "TIFF"])
def test_several_workers_read_one_document_at_once_and_each_page_is_right(kind: str) -> None:
    greys = range(0, 240, 4)
    if kind == "PDF":
        data = text_pdf([f"Page {grey}" for grey in greys], size=(120, 60))
    else:
        first, *others = (Image.new("RGB", (40, 30), (grey, grey, grey)) for grey in greys)
        data = encoded(first, "TIFF", save_all=True, append_images=others, compression="tiff_lzw")

    async def work(source: PageSource) -> list[Page | FailedPage]:
        async with source.open(data) as document:
            return list(await asyncio.gather(*(document.render(number, 72) for number in document.select())))

    async def by(workers: int) -> list[bytes]:
        async with PageSource(workers=workers) as source:
            return [page.pixels.tobytes() for page in await work(source) if isinstance(page, Page)]

    together = asyncio.run(by(3))
    assert len(set(together)) == len(greys)
    assert together == asyncio.run(by(1))


def test_a_cyclic_tiff_ends() -> None:
    data = bytearray(encoded(picture("L", WHITE), "TIFF"))
    start = struct.unpack_from("<I", data, 4)[0]
    entries = struct.unpack_from("<H", data, start)[0]
    struct.pack_into("<I", data, start + 2 + 12 * entries, start)
    assert data[:2] == TiffImagePlugin.II
    assert len(render_all(bytes(data))) == 1


def test_a_worker_is_not_reached_by_the_ctrl_c_that_lets_its_stage_finish() -> None:
    async def work(source: PageSource) -> None:
        (pid,) = source.pool.pids
        assert os.getpgid(pid) != os.getpgrp()

    with_source(work)
