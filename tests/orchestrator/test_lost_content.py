"""PDFs whose pages would come out blank, since what they show is lost."""

import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.pages.lost_content import has_lost_content
from tests.orchestrator.pdf_files import assemble, text_pdf

CONTENT = b"BT /F1 24 Tf 20 100 Td (Text) Tj ET" * 50


def pdf_with(stream: bytes, contents: bytes = b"/Contents 4 0 R", filters: bytes = b"/FlateDecode") -> bytes:
    return assemble(
        {
            1: b"<< /Type /Catalog /Pages 2 0 R >>",
            2: b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            3: b"<< /Type /Page /Parent 2 0 R %b >>" % contents,
            4: b"<< /Length %d /Filter %b >>\nstream\n%b\nendstream" % (len(stream), filters, stream),
        }
    )


@pytest.mark.parametrize(
    "data",
    [
        text_pdf(["Text"]),
        pdf_with(zlib.compress(CONTENT)),
        pdf_with(zlib.compress(CONTENT), b"/Contents [4 0 R 4 0 R]", b"[/FlateDecode]"),
        pdf_with(zlib.compress(bytes(2_000_000))),
        pdf_with(b"<< not packed by Flate >>", filters=b"/ASCII85Decode"),
        pdf_with(b"", contents=b""),
    ],
    ids=["plain", "packed", "in an array", "large", "another filter", "a blank page"],
)
def test_content_that_is_there_is_not_lost(data: bytes) -> None:
    assert not has_lost_content(data)


@pytest.mark.parametrize(
    "data",
    [
        text_pdf(["Text"]).replace(b"4 0 obj", b"9 0 obj"),
        pdf_with(zlib.compress(CONTENT)[:-12]),
        pdf_with(zlib.compress(CONTENT), b"/Contents [4 0 R 99 0 R]"),
        pdf_with(b"no such thing as Flate data"),
        pdf_with(b""),
    ],
    ids=["no object", "cut", "an object of an array is gone", "not Flate", "empty"],
)
def test_content_that_is_gone_or_cannot_be_unpacked_is_lost(data: bytes) -> None:
    assert has_lost_content(data)


@pytest.mark.parametrize("lost", [False, True])
def test_pages_inside_of_other_objects_are_looked_at_too(lost: bool) -> None:
    objects = zlib.compress(b"3 0 << /Type /Page /Contents %d 0 R >>" % (9 if lost else 4))
    data = assemble(
        {
            4: b"<< /Length 4 >>\nstream\nq Q \nendstream",
            5: b"<< /Type /ObjStm /N 1 /First 4 /Length %d /Filter /FlateDecode >>\nstream\n%b\nendstream"
            % (len(objects), objects),
        }
    )
    assert has_lost_content(data) is lost


@given(st.binary())
def test_any_bytes_can_be_looked_at(data: bytes) -> None:
    assert not has_lost_content(data) or b"/Contents" in data
