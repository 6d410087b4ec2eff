"""The stage as a whole: with networks that say what a test wants, and with the real ones."""

from dataclasses import replace
from itertools import product
from pathlib import Path
from random import Random

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from arcscribe.types import Box, RegionKind, RgbImage, TextLine
from layout_stage.analyzer import LayoutAnalyzer
from layout_stage.cdla_boxes import LayoutBox
from layout_stage.engines.load import load_analyzer, model_paths
from layout_stage.settings import LayoutSettings
from layout_stage.skew import Turn
from tests.layout_stage.networks import HEIGHT, WIDTH, SayingEngine, analyzed, analyzer_of, drawn, kinds
from tests.layout_stage.pages import line, paragraph


@st.composite
def any_line(draw: st.DrawFn) -> TextLine:
    left, top = draw(st.integers(0, WIDTH - 50)), draw(st.integers(0, HEIGHT - 50))
    width = draw(st.integers(8, WIDTH - left))
    return line(left, top, width, draw(st.integers(8, 50)))


@st.composite
def any_box(draw: st.DrawFn) -> LayoutBox:
    label = draw(st.sampled_from(["text", "title", "table", "figure", "header", "equation", "table_caption"]))
    left, top = draw(st.integers(0, WIDTH - 50)), draw(st.integers(0, HEIGHT - 50))
    right, bottom = draw(st.integers(left + 5, WIDTH)), draw(st.integers(top + 5, HEIGHT))
    return LayoutBox(label, draw(st.floats(0.3, 1)), Box(left, top, right, bottom))


@settings(deadline=None, max_examples=25)
@given(st.lists(any_line(), max_size=15, unique=True), st.lists(any_box(), max_size=6))
def test_every_line_is_in_one_region_and_every_region_on_the_page(
    lines: list[TextLine], boxes: list[LayoutBox]
) -> None:
    regions = analyzed(lines, boxes).regions
    held = [item for region in regions for item in region.lines]
    assert len(set(held)) == len(held)
    for item in lines:
        core = item.box.expanded(-1)
        assert sum(core.coverage_by(other.box) for other in held) >= 0.6  # less the white where it was cut
    assert [region.id for region in regions] == list(range(len(regions)))
    page = Box(0, 0, WIDTH, HEIGHT)
    assert all(region.box.intersection(page) == region.box for region in regions)


@settings(deadline=None, max_examples=8)
@given(st.randoms(use_true_random=False))
def test_the_order_in_which_the_networks_answer_does_not_matter(random: Random) -> None:
    lines = [line(100, 60, 600, 40), *paragraph(100, 150, 380, 8), *paragraph(520, 150, 380, 8)]
    boxes = [LayoutBox("title", 0.9, Box(100, 60, 700, 100)), LayoutBox("text", 0.9, Box(100, 150, 480, 360))]
    shuffled, shuffled_boxes = list(lines), list(boxes)
    random.shuffle(shuffled)
    random.shuffle(shuffled_boxes)
    assert analyzed(shuffled, shuffled_boxes).regions == analyzed(lines, boxes).regions


def test_a_blank_page_has_no_regions() -> None:
    assert analyzed([]).regions == ()


def test_a_page_of_one_pixel_has_no_regions() -> None:
    page = np.full((1, 1, 3), 255, np.uint8)
    assert analyzer_of(SayingEngine([])).analyze(page).regions == ()


def test_a_title_high_on_the_page_is_no_header() -> None:
    lines = [line(250, 60, 500, 44), *paragraph(100, 180, 800, 10)]
    layout = analyzed(lines, [LayoutBox("title", 0.9, Box(250, 60, 750, 104))])
    assert kinds(layout) == [RegionKind.DOC_TITLE, RegionKind.TEXT]


def test_running_lines_and_page_numbers_stand_apart_from_the_body() -> None:
    header, number = line(100, 40, 300, 16), line(490, 1340, 30, 18)
    text = paragraph(100, 120, 800, 40)
    layout = analyzed([header, *text, number], [LayoutBox("header", 0.8, header.box)])
    assert kinds(layout) == [RegionKind.HEADER, RegionKind.TEXT, RegionKind.NUMBER]


def test_the_only_text_of_a_page_is_text_even_at_its_foot() -> None:
    lines = paragraph(100, 1240, 800, 4)
    assert kinds(analyzed(lines)) == [RegionKind.TEXT]


def test_small_type_below_a_short_rule_is_a_footnote() -> None:
    text = paragraph(100, 120, 800, 40)
    note = [line(100, 1230, 700, 15), line(100, 1250, 500, 15)]
    page = drawn([*text, *note])
    cv2.line(page, (100, 1215), (260, 1215), (0, 0, 0), 2)
    layout = analyzer_of(SayingEngine([*text, *note])).analyze(page)
    assert kinds(layout) == [RegionKind.TEXT, RegionKind.FOOTNOTE]


def test_words_in_a_picture_stay_with_it_and_prose_on_a_ground_does_not() -> None:
    word = line(300, 300, 60)
    page = drawn([word])
    cv2.circle(page, (350, 330), 140, (0, 0, 0), 5)
    figure = LayoutBox("figure", 0.9, Box(200, 180, 500, 480))
    (picture,) = analyzer_of(SayingEngine([word], [figure])).analyze(page).regions
    assert (picture.kind, picture.lines) == (RegionKind.IMAGE, (word,))
    prose = paragraph(210, 200, 280, 9)
    assert kinds(analyzed(prose, [figure])) == [RegionKind.TEXT]


def test_a_short_line_right_below_a_picture_names_it() -> None:
    name, text = line(300, 476, 100), paragraph(100, 560, 800, 8)
    page = drawn([name, *text])
    cv2.circle(page, (350, 330), 140, (0, 0, 0), 5)
    figure = LayoutBox("figure", 0.9, Box(200, 180, 500, 480))
    layout = analyzer_of(SayingEngine([name, *text], [figure])).analyze(page)
    assert kinds(layout) == [RegionKind.IMAGE, RegionKind.FIGURE_TITLE, RegionKind.TEXT]


def test_a_line_of_a_seal_that_only_the_whole_page_shows_is_kept_in_it() -> None:
    red, stamp = (205, 40, 45), line(412, 835, 75, 30)
    page = np.full((HEIGHT, WIDTH, 3), 255, np.uint8)
    cv2.circle(page, (450, 800), 100, red, 6)
    cv2.putText(page, "SEAL", (415, 860), cv2.FONT_HERSHEY_SIMPLEX, 0.9, red, 2)

    class BlindCloseUp(SayingEngine):
        def detect_lines(self, image: RgbImage) -> tuple[TextLine, ...]:
            return super().detect_lines(image) if image.shape == page.shape else ()

    (seal,) = analyzer_of(BlindCloseUp([stamp])).analyze(page).regions
    assert (seal.kind, seal.lines) == (RegionKind.SEAL, (stamp,))


def test_a_page_of_seals_is_looked_into_a_bounded_number_of_times() -> None:
    page = np.full((HEIGHT, WIDTH, 3), 255, np.uint8)
    for x, y in product(range(60, WIDTH, 110), range(60, HEIGHT, 110)):
        cv2.circle(page, (x, y), 45, (205, 40, 45), 5)
    looks = []

    class Counting(SayingEngine):
        def detect_lines(self, image: RgbImage) -> tuple[TextLine, ...]:
            looks.append(image.shape)
            return ()

    regions = analyzer_of(Counting([])).analyze(page).regions
    assert len(regions) > 90
    assert {region.kind for region in regions} == {RegionKind.SEAL}
    assert len(looks) < 30


@pytest.mark.parametrize("shape", [(1, 1), (1, 5000), (5000, 1)])
def test_a_page_that_is_a_strip_one_pixel_wide_has_no_regions(shape: tuple[int, int]) -> None:
    page = np.full((*shape, 3), 255, np.uint8)
    assert analyzer_of(SayingEngine([])).analyze(page).regions == ()


def test_vertical_text_is_read_from_right_to_left() -> None:
    columns = [line(x, 100, 30, 900) for x in (300, 700)]
    layout = analyzed(columns)
    assert [region.box.left for region in layout.regions] == [700, 300]


def test_a_formula_and_its_number_are_told_from_the_text_round_them() -> None:
    above, below = paragraph(100, 100, 800, 5), paragraph(100, 340, 800, 5)
    formula, number = line(200, 270, 300, 30), line(850, 274, 48, 24)
    seen = LayoutBox("equation", 0.8, Box(198, 268, 504, 302))
    layout = analyzed([*above, formula, number, *below], [seen])
    assert kinds(layout) == [
        RegionKind.TEXT,
        RegionKind.FORMULA,
        RegionKind.FORMULA_NUMBER,
        RegionKind.TEXT,
    ]


@pytest.mark.parametrize(("turn", "rotation"), [(1, 270), (2, 180), (3, 90)])
def test_the_turn_that_makes_a_page_upright_is_told(turn: int, rotation: int) -> None:
    scores = [0.02, 0.02, 0.02, 0.02]
    scores[turn] = 0.94
    page = np.full((300, 200, 3), 255, np.uint8)
    column = replace(line(50, 20, 20, 150), vertical=True)
    layout = analyzer_of(SayingEngine([column], orientations=scores)).analyze(page)
    assert layout.rotation == rotation
    assert (layout.width, layout.height) == ((300, 200) if turn % 2 else (200, 300))


@pytest.mark.parametrize("lines", [[], [line(20, 50, 150, 20)]], ids=["no text", "a line that runs across"])
@pytest.mark.parametrize("turn", [1, 3])
def test_a_page_is_not_laid_on_its_side_against_what_its_lines_say(turn: int, lines: list[TextLine]) -> None:
    scores = [0.02, 0.02, 0.02, 0.02]
    scores[turn] = 0.94
    page = np.full((300, 200, 3), 255, np.uint8)
    assert analyzer_of(SayingEngine(lines, orientations=scores)).analyze(page).rotation == 0


def test_an_unsure_turn_is_left_alone() -> None:
    page = np.full((300, 200, 3), 255, np.uint8)
    assert analyzer_of(SayingEngine([], orientations=[0.3, 0.6, 0.05, 0.05])).analyze(page).rotation == 0


def test_a_tilted_page_gives_regions_in_its_own_pixels() -> None:
    turn = Turn(2.0, (WIDTH / 2, HEIGHT / 2))
    level = paragraph(100, 300, 800, 12)
    tilted = [turn.line(item) for item in level]
    page = turn.image(drawn(level))
    (region,) = analyzer_of(SayingEngine(tilted)).analyze(page).regions
    assert len(region.lines) == len(tilted)
    assert all(
        np.allclose(a.polygon, b.polygon, atol=0.01) for a, b in zip(region.lines, tilted, strict=True)
    )
    assert all(region.box.expanded(0.01).union(item.box) == region.box.expanded(0.01) for item in tilted)


@pytest.fixture(scope="module")
def analyzer(model_root: Path) -> LayoutAnalyzer:
    settings = LayoutSettings(models=str(model_root))
    return load_analyzer(settings, model_paths(settings))


def read(path: Path) -> RgbImage:
    return np.asarray(Image.open(path).convert("RGB"), np.uint8)


@pytest.mark.parametrize("name", ["tables.png", "tables-scan.jpg"])
def test_the_real_networks_find_the_sample_tables(analyzer: LayoutAnalyzer, samples: Path, name: str) -> None:
    layout = analyzer.analyze(read(samples / name))
    tables = [region for region in layout.regions if region.kind is RegionKind.TABLE]
    assert len(tables) == 2
    assert tables[0].box.intersection(tables[1].box).area == 0
    assert all(len(table.lines) >= 12 for table in tables)


def test_the_real_networks_turn_a_page_upright(analyzer: LayoutAnalyzer, samples: Path) -> None:
    page = read(samples / "newsletter.png")
    upright = analyzer.analyze(page)
    turned = analyzer.analyze(np.ascontiguousarray(np.rot90(page)))
    assert (upright.rotation, turned.rotation) == (0, 90)
    assert kinds(turned) == kinds(upright)


def test_the_real_networks_read_vertical_columns_from_right_to_left(
    analyzer: LayoutAnalyzer, samples: Path
) -> None:
    layout = analyzer.analyze(read(samples / "vertical.png"))
    columns = [
        item.box.center[0]
        for region in layout.regions
        if region.kind is RegionKind.VERTICAL_TEXT
        for item in region.lines
    ]
    assert len(columns) >= 8
    assert columns == sorted(columns, reverse=True)
