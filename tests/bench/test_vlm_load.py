"""What the load on a VLM stage is made of, and that it sees what goes wrong."""

from collections import Counter

import pytest

from arcscribe.convert.recognition import crop_from_message
from arcscribe.errors import InvalidOption, TooLarge
from arcscribe.types import FinishReason, PartialText, RegionFailure, RegionText, TextFormat
from bench.vlm_load.held_memory import growth
from bench.vlm_load.pages import LEFT, NEVER, OTHERWISE, PARTIAL, TWICE, Heard, Page, any_pages, judge
from bench.vlm_load.sorts import SHARES, TEXT, any_crop, damaged, largest_crops, too_long
from bench.vlm_load.source import Read, Source
from vlm_stage.engines.paddleocr_vl.inputs.images import ImageSettings, smart_resize


def text(reason: FinishReason = FinishReason.STOP, prompt_tokens: int = 9) -> RegionText:
    return RegionText("", TextFormat.PLAIN, reason, "", "", milliseconds=0.0, prompt_tokens=prompt_tokens)


@pytest.fixture(scope="module")
def page() -> Page:
    """Three crops that are to be read."""
    source = Source(0)
    crops = (any_crop(source) for _ in range(1000))
    return Page([asked for asked in crops if asked.expected == TEXT][:3])


def test_a_page_that_is_answered_once_and_as_it_should_be_has_no_fault(page: Page) -> None:
    first, second, third = (asked.crop.id for asked in page.crops)
    heard = [
        Heard(second, PartialText("so far")),
        Heard(second, text()),
        Heard(first, text(FinishReason.REPETITION)),
        Heard(third, text()),
    ]
    assert +judge(page, heard) == Counter({"stop": 2, "repetition": 1, PARTIAL: 1})


def test_what_is_wrong_with_answers_is_counted(page: Page) -> None:
    first, second, _ = (asked.crop.id for asked in page.crops)
    heard = [
        Heard(first, text()),
        Heard(first, text()),
        Heard(first, PartialText("after its answer")),
        Heard(second, RegionFailure("INFERENCE_FAILED", "")),
        Heard(10_000, text()),
    ]
    seen = judge(page, heard)
    assert (seen[TWICE], seen[NEVER], seen[OTHERWISE]) == (2, 1, 2)


def test_who_leaves_is_owed_no_answer(page: Page) -> None:
    seen = judge(Page(page.crops, leaves_after=1), [Heard(page.crops[1].crop.id, text())])
    assert +seen == Counter({"stop": 1, LEFT: 2})


def test_each_page_has_other_crops_and_all_are_sent() -> None:
    pages = list(any_pages(Source(1), 200))
    ids = [asked.crop.id for page in pages for asked in page.crops]
    assert sorted(ids) == list(range(200))
    assert any(page.leaves_after for page in pages)


def test_every_sort_of_crop_is_refused_as_it_says_or_not_at_all() -> None:
    source = Source(2)
    source.remember(Read(source.crop(), "what was read"))
    for sort in SHARES:
        asked = sort(source, source.crop())
        if sort is damaged:
            with pytest.raises(InvalidOption):
                crop_from_message(asked.request)
            assert asked.expected == InvalidOption.reason
        else:
            assert crop_from_message(asked.request).pixels.shape == asked.crop.pixels.shape


def test_a_crop_that_is_too_long_is() -> None:
    source = Source(2)
    asked = too_long(source, source.crop())
    height, width, _ = asked.crop.pixels.shape
    with pytest.raises(TooLarge):
        smart_resize(height, width, ImageSettings())
    assert asked.expected == TooLarge.reason


def test_no_crop_is_larger_than_the_largest() -> None:
    source = Source(3)
    most = max(asked.crop.pixels.size for asked in largest_crops(source))
    assert max(any_crop(source).crop.pixels.size for _ in range(500)) <= most


def test_growth_is_what_comes_with_each_thousand_crops() -> None:
    assert growth([0, 500, 1000, 1500], [100.0, 101.0, 102.0, 103.0]) == pytest.approx(2.0)
    assert growth([0, 500, 1000, 1500], [100.0, 103.0, 103.0, 100.0]) == pytest.approx(0.0)
