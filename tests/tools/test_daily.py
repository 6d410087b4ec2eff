"""Hints that are given once a day."""

import os
import time
from pathlib import Path

import pytest

from arcscribe.tools.daily import DAY_SECONDS, is_first_today


def test_it_is_the_first_time_once_a_day(tmp_path: Path) -> None:
    mark = tmp_path / "store" / ".hint"
    assert [is_first_today(mark) for _ in range(3)] == [True, False, False]
    yesterday = time.time() - DAY_SECONDS - 1
    os.utime(mark, (yesterday, yesterday))
    assert [is_first_today(mark) for _ in range(2)] == [True, False]


@pytest.mark.parametrize("ahead", [60.0, 10 * DAY_SECONDS])
def test_a_mark_of_the_future_hides_nothing(tmp_path: Path, ahead: float) -> None:
    (tmp_path / ".hint").touch()
    os.utime(tmp_path / ".hint", (time.time() + ahead,) * 2)
    assert is_first_today(tmp_path / ".hint")
    assert not is_first_today(tmp_path / ".hint")


def test_where_nothing_can_be_marked_each_time_is_the_first(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert all(is_first_today(tmp_path / "file" / ".hint") for _ in range(2))
