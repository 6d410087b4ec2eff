"""Pages with a network that says what a test wants, in place of one of PP-StructureV3."""

from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcscribe.types import Box, RegionKind, RgbImage, TextLine
from layout_stage.composing.detected import DetectedComposer
from layout_stage.detection.detections import Detection
from layout_stage.parts import Part
from tests.layout_stage.networks import HEIGHT, WIDTH, drawn
from tests.layout_stage.pages import line, paragraph


class Saying:
    """A network that finds what it was told."""

    def __init__(self, found: Sequence[Detection]) -> None:
        self._found = found

    def detect(self, image: RgbImage) -> Sequence[Detection]:  # noqa: ARG002
        return self._found


def seen(
    label: str, left: float, top: float, right: float, bottom: float, order: int | None = None
) -> Detection:
    return Detection(label, 0.9, Box(left, top, right, bottom), order, None)


def composed(
    found: Sequence[Detection],
    lines: Sequence[TextLine],
    seals: Sequence[Part] = (),
    blocks: Sequence[Detection] = (),
) -> Sequence[Part]:
    laps: list[str] = []
    composer = DetectedComposer(Saying(found), Saying(blocks) if blocks else None)
    parts = composer.compose(drawn(lines), lines, seals, laps.append)
    assert laps == ["layout", "fusion", "reading_order"]
    return parts


TITLE = line(100, 100, 500, 40)
BODY = paragraph(100, 200, 700, 6)
SEEN_TITLE = seen("doc_title", 95, 95, 605, 145, 0)
SEEN_BODY = seen("text", 90, 190, 810, 600, 1)


def test_where_the_regions_hold_every_line_nothing_changes() -> None:
    outlined = Detection("text", 0.9, SEEN_BODY.box, 1, ((90, 190), (810, 195), (810, 600), (90, 600)))
    parts = composed([SEEN_TITLE, outlined], [TITLE, *BODY])
    assert [(part.label, part.box) for part in parts] == [
        ("doc_title", SEEN_TITLE.box),
        ("text", SEEN_BODY.box),
    ]
    assert [part.kind for part in parts] == [RegionKind.DOC_TITLE, RegionKind.TEXT]
    assert [part.lines for part in parts] == [(TITLE,), tuple(BODY)]
    assert parts[1].polygon == outlined.polygon


def test_a_region_grows_to_the_line_that_it_clips() -> None:
    clipped = seen("text", 90, 190, 810, BODY[-1].box.bottom - 8, 0)
    (part,) = composed([clipped], BODY)
    assert part.lines == tuple(BODY)
    assert part.box.bottom == BODY[-1].box.bottom


def test_lines_that_no_region_holds_become_a_region_where_they_stand() -> None:
    forgotten = paragraph(100, 700, 700, 3)
    last = paragraph(100, 1000, 700, 3)
    found = [SEEN_TITLE, SEEN_BODY, seen("text", 90, 990, 810, 1120, 2)]
    parts = composed(found, [TITLE, *BODY, *forgotten, *last])
    assert [part.label for part in parts] == ["doc_title", "text", "", "text"]
    assert parts[2].lines == tuple(forgotten)


@pytest.mark.parametrize("reverse", [False, True])
def test_a_predicted_order_stays_whatever_the_places(reverse: bool) -> None:
    places = [(100, 100), (100, 500), (100, 900)]
    if reverse:
        places.reverse()
    found = [seen("text", x, y, x + 300, y + 100, i) for i, (x, y) in enumerate(places)]
    parts = composed(found, [])
    assert [part.box for part in parts] == [detection.box for detection in found]


def test_without_a_predicted_order_columns_are_read_one_after_the_other() -> None:
    left, right = (paragraph(x, 200, 380, 8) for x in (100, 520))
    boxes = [seen("text", 515, 190, 910, 600), seen("text", 95, 190, 485, 600)]
    assert [part.box.left for part in composed(boxes, [*left, *right])] == [95, 515]


def test_blocks_say_what_is_read_as_a_whole() -> None:
    rows = [line(x, y, 380, 24) for y in (200, 400) for x in (100, 520)]
    boxes = [seen("text", r.box.left - 2, r.box.top - 2, r.box.right + 2, r.box.bottom + 60) for r in rows]
    blocks = [seen("Region", 90, y - 10, 910, y + 100) for y in (200, 400)]
    tops = [round(part.box.top) for part in composed(boxes, rows, blocks=blocks)]
    assert tops == [198, 198, 398, 398]


def test_a_seal_that_its_colour_showed_is_there_once() -> None:
    stamp = Part.of(RegionKind.SEAL, "", 1.0, Box(600, 900, 800, 1100), ())
    found = [SEEN_BODY, seen("seal", 610, 905, 790, 1095, 2), seen("seal", 100, 900, 300, 1100, 3)]
    seals = [part.box.left for part in composed(found, BODY, [stamp]) if part.kind is RegionKind.SEAL]
    assert sorted(seals) == [100, 600]


LABELS = ("text", "doc_title", "table", "image", "formula", "footer", "seal", "unheard-of")


@st.composite
def any_detection(draw: st.DrawFn) -> Detection:
    left, top = draw(st.integers(0, WIDTH - 20)), draw(st.integers(0, HEIGHT - 20))
    right, bottom = draw(st.integers(left + 1, WIDTH)), draw(st.integers(top + 1, HEIGHT))
    return Detection(draw(st.sampled_from(LABELS)), 0.5, Box(left, top, right, bottom), None, None)


@settings(max_examples=25)
@given(st.lists(any_detection(), max_size=8), st.integers(0, 12), st.randoms(use_true_random=False))
def test_each_line_is_in_one_part_and_each_region_is_one(
    found: list[Detection], count: int, random: Random
) -> None:
    lines = [
        line(random.randrange(40, 600), 60 + 90 * i, random.randrange(60, 350), random.randrange(16, 44))
        for i in range(count)
    ]
    for detections in (found, [Detection(d.label, d.score, d.box, i, None) for i, d in enumerate(found)]):
        parts = composed(detections, lines)
        held = [own for part in parts for own in part.lines]
        assert sorted(held, key=lambda own: own.box.top) == sorted(lines, key=lambda own: own.box.top)
        assert sorted(part.label for part in parts if part.label) == sorted(d.label for d in detections)
