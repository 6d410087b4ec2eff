"""Ruling lines found in drawn pages."""

import cv2
import numpy as np

from arcscribe.types import RgbImage
from layout_stage.ink import Ink
from layout_stage.ruling_lines import Rules, find_grids, find_rules
from tests.layout_stage.pages import EM, line


def white(height: int = 600, width: int = 800) -> RgbImage:
    return np.full((height, width, 3), 255, np.uint8)


def rules_of(page: RgbImage) -> Rules:
    return find_rules(Ink.of(page, EM), [], EM)


def test_a_drawn_grid_is_found_with_its_rows_and_columns() -> None:
    page = white()
    for y in range(100, 301, 50):
        cv2.line(page, (100, y), (700, y), (0, 0, 0), 2)
    for x in (100, 300, 500, 700):
        cv2.line(page, (x, 100), (x, 300), (0, 0, 0), 2)
    (grid,) = find_grids(rules_of(page), 4)
    assert (grid.rows, grid.columns) == (4, 3)
    assert abs(grid.box.left - 100) < 4
    assert abs(grid.box.bottom - 300) < 4


def test_a_dashed_rule_is_found() -> None:
    page = white()
    for x in range(100, 700, 12):
        cv2.line(page, (x, 200), (x + 6, 200), (60, 60, 60), 1)
    assert any(rule.width > 500 for rule in rules_of(page).horizontal)


def test_text_is_no_rule() -> None:
    page = white()
    cv2.putText(page, "Some words of a line", (100, 200), cv2.FONT_HERSHEY_SIMPLEX, 1, (0, 0, 0), 2)
    assert rules_of(page) == Rules((), ())


def test_an_underline_is_no_rule() -> None:
    page = white()
    cv2.line(page, (105, 219), (395, 219), (0, 0, 0), 1)
    underlined = line(100, 200, 300)
    assert find_rules(Ink.of(page, EM), [underlined], EM).horizontal == ()


def test_a_large_page_gives_rules_in_its_own_pixels() -> None:
    page = white(3600, 4800)
    cv2.line(page, (1000, 2000), (4000, 2000), (0, 0, 0), 6)
    (rule,) = find_rules(Ink.of(page, 60), [], 60).horizontal
    assert abs(rule.left - 1000) < 12
    assert abs(rule.center[1] - 2000) < 12


def test_a_rule_that_is_broken_by_less_than_a_character_is_one() -> None:
    page = white()
    cv2.line(page, (100, 200), (395, 200), (0, 0, 0), 2)
    cv2.line(page, (410, 201), (700, 201), (0, 0, 0), 2)
    cv2.line(page, (100, 400), (300, 400), (0, 0, 0), 2)
    cv2.line(page, (400, 400), (700, 400), (0, 0, 0), 2)
    assert len(rules_of(page).horizontal) == 3


def test_of_more_strokes_than_a_page_has_the_longest_are_rules() -> None:
    page = white(1600, 2000)
    for y in range(20, 1580, 12):
        for x in range(20, 1900, 100):
            cv2.line(page, (x, y), (x + 66, y), (0, 0, 0), 1)
    cv2.line(page, (100, 1594), (1900, 1594), (0, 0, 0), 1)
    rules = rules_of(page).horizontal
    assert 500 < len(rules) <= 2000
    assert max(rule.width for rule in rules) > 1700
