"""A grouped bar chart with axes and a legend."""

from arcscribe.types import Box
from samples.render.fonts import Face, load, points
from samples.render.sheet import BLACK, Sheet

FILLS = ((70, 70, 70), (150, 150, 150), (215, 215, 215))
STEP = 5
"""Units between two ticks of the upright axis."""


def draw_chart(
    sheet: Sheet,
    box: Box,
    groups: tuple[str, ...],
    values: tuple[tuple[int, ...], ...],
    legend: tuple[str, ...],
) -> None:
    """Draws the chart into the box: one group of bars for each row of `values`."""
    font = load(Face.SANS, points(7))
    floor, roof = box.bottom - points(14), box.top + points(16)
    left = box.left + points(18)
    top_value = STEP * (1 + max(max(row) for row in values) // STEP)
    scale = (floor - roof) / top_value
    sheet.draw.line((left, roof, left, floor), BLACK, 2)
    sheet.draw.line((left, floor, box.right, floor), BLACK, 2)
    for tick in range(0, top_value + 1, STEP):
        y = floor - tick * scale
        sheet.draw.line((left - 8, y, left, y), BLACK, 2)
        sheet.draw.text((left - 14, y), str(tick), BLACK, font, anchor="rm")
    pitch = (box.right - left) / len(groups)
    bar = pitch / (len(FILLS) + 1)
    for number, (name, row) in enumerate(zip(groups, values, strict=True)):
        start = left + number * pitch + bar / 2
        for place, value in enumerate(row):
            corners = (start + place * bar, floor - value * scale, start + (place + 1) * bar - 4, floor)
            sheet.draw.rectangle(corners, FILLS[place], BLACK, 2)
        sheet.draw.text((left + (number + 0.5) * pitch, floor + points(4)), name, BLACK, font, anchor="mt")
    draw_legend(sheet, left + points(10), box.top + points(6), legend)


def draw_legend(sheet: Sheet, x: float, y: float, legend: tuple[str, ...]) -> None:
    font = load(Face.SANS, points(7))
    for fill, name in zip(FILLS, legend, strict=True):
        sheet.draw.rectangle((x, y - 8, x + 18, y + 10), fill, BLACK, 2)
        sheet.draw.text((x + 28, y), name, BLACK, font, anchor="lm")
        x += 28 + font.getlength(name) + points(12)
