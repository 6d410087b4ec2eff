"""Pages made of boxes, for tests of what is decided by geometry alone."""

from arcscribe.types import Box, TextLine

EM = 20.0


def line(left: float, top: float, width: float, height: float = EM) -> TextLine:
    """A horizontal text line; vertical where it is much higher than wide."""
    box = Box(left, top, left + width, top + height)
    return TextLine(box, box.to_polygon(), 0.9, vertical=height >= 1.5 * width)


def paragraph(left: float, top: float, width: float, count: int, pitch: float = 1.3 * EM) -> list[TextLine]:
    """Justified lines below each other; the last one ends half way."""
    full = [line(left, top + i * pitch, width) for i in range(count - 1)]
    return [*full, line(left, top + (count - 1) * pitch, width / 2)]
