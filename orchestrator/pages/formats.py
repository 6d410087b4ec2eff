"""What a file is, by its first bytes; never by its name."""

from enum import StrEnum

from arcscribe.errors import InvalidDocument


class FileFormat(StrEnum):
    """The formats that can be parsed. The names of pictures are those that Pillow uses."""

    PDF = "PDF"
    PNG = "PNG"
    JPEG = "JPEG"
    WEBP = "WEBP"
    BMP = "BMP"
    GIF = "GIF"
    TIFF = "TIFF"

    @property
    def media_type(self) -> str:
        """As registered with IANA."""
        return "application/pdf" if self is FileFormat.PDF else f"image/{self.lower()}"


_PICTURES = (
    (b"\x89PNG\r\n\x1a\n", FileFormat.PNG),
    (b"\xff\xd8\xff", FileFormat.JPEG),
    (b"BM", FileFormat.BMP),
    (b"GIF87a", FileFormat.GIF),
    (b"GIF89a", FileFormat.GIF),
    (b"II*\x00", FileFormat.TIFF),
    (b"MM\x00*", FileFormat.TIFF),
    (b"II+\x00", FileFormat.TIFF),
    (b"MM\x00+", FileFormat.TIFF),
)

_OTHERS = (
    (b"PK\x03\x04", "a ZIP archive or an Office document; save it as PDF"),
    (b"\xd0\xcf\x11\xe0", "an old Office document; save it as PDF"),
    (b"{\\rtf", "an RTF document; save it as PDF"),
    (b"%!PS", "PostScript; convert it to PDF"),
    (b"\x00\x00\x00\x0cjP", "a JPEG 2000 picture; save it as PNG or JPEG"),
    (b"AT&TFORM", "a DjVu document; convert it to PDF"),
    (b"<", "HTML or XML; print it to PDF"),
)

_HEAD = 1024  # PDF readers accept a header anywhere in the first 1,024 bytes (PDF 1.7, annex H, note 13)


def detect_format(data: bytes, name: str = "") -> FileFormat:
    """The format of a file's bytes; `name` is used in messages only.

    Raises:
        InvalidDocument: there are no bytes, or they are no format that can be parsed.
    """
    if not data:
        raise InvalidDocument(f"{name or 'the document'} is empty (0 bytes)")
    if b"%PDF-" in data[:_HEAD]:
        return FileFormat.PDF
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return FileFormat.WEBP
    for magic, found in _PICTURES:
        if data.startswith(magic):
            return found
    raise InvalidDocument(f"{name or 'the document'} {_complaint(data)}")


def _complaint(data: bytes) -> str:
    if data[4:8] == b"ftyp":
        return "is a HEIC, AVIF or video file; save it as PNG or JPEG"
    for magic, what in _OTHERS:
        if data.lstrip()[: len(magic)] == magic:
            return f"is {what}"
    known = ", ".join(FileFormat)
    return f"is not a document that can be read, whatever its name says; known are {known}"
