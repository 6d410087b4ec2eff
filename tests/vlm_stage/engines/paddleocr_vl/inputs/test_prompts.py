import pytest
from tokenizers import Tokenizer, models

from arcscribe.errors import InvalidOption, ModelMissing
from arcscribe.types import RegionKind
from samples.checkpoints.token_ids import TOY_IDS
from samples.checkpoints.tokenizer import build_tokenizer
from vlm_stage.engines.paddleocr_vl.inputs.prompts import (
    ChatTemplate,
    Task,
    build_prompt,
    composed_kind,
    max_pixels,
    task_of,
)
from vlm_stage.engines.paddleocr_vl.inputs.tokenizer import TextTokenizer

TEMPLATE = ChatTemplate("<|begin_of_sentence|>User: <|IMAGE_START|>", "<|IMAGE_END|>", "\nAssistant:\n")
TOKENIZER = TextTokenizer(build_tokenizer(512, TOY_IDS))


@pytest.mark.parametrize(
    ("kind", "prompt"),
    [
        (RegionKind.TEXT, "OCR:"),
        (RegionKind.DOC_TITLE, "OCR:"),
        (RegionKind.FORMULA_NUMBER, "OCR:"),
        (RegionKind.TABLE_TITLE, "OCR:"),
        (RegionKind.HEADER, "OCR:"),
        (RegionKind.TABLE, "Table Recognition:"),
        (RegionKind.FORMULA, "Formula Recognition:"),
        (RegionKind.CHART, "Chart Recognition:"),
        (RegionKind.SEAL, "Seal Recognition:"),
    ],
)
def test_each_kind_has_its_prompt(kind: RegionKind, prompt: str) -> None:
    assert task_of(kind) == prompt


def test_only_pictures_are_not_asked_about() -> None:
    unread = {kind for kind in RegionKind if task_of(kind) is None}
    assert unread == {RegionKind.IMAGE, RegionKind.HEADER_IMAGE, RegionKind.FOOTER_IMAGE}


@pytest.mark.parametrize("kind", RegionKind)
def test_the_answer_to_a_kinds_own_prompt_is_read_as_that_kind(kind: RegionKind) -> None:
    assert composed_kind(task_of(kind) or "", kind) is kind


@pytest.mark.parametrize("kind", RegionKind)
def test_the_answer_to_a_prompt_of_ones_own_is_read_as_the_regions_kind(kind: RegionKind) -> None:
    assert composed_kind("What does it say?", kind) is kind


@pytest.mark.parametrize("kind", RegionKind)
@pytest.mark.parametrize(
    ("task", "read_as"),
    [
        (Task.TABLE, RegionKind.TABLE),
        (Task.FORMULA, RegionKind.FORMULA),
        (Task.CHART, RegionKind.CHART),
    ],
)
def test_tables_formulas_and_charts_are_what_they_were_asked_to_be(
    task: Task, read_as: RegionKind, kind: RegionKind
) -> None:
    assert composed_kind(task, kind) is read_as


@pytest.mark.parametrize(
    ("kind", "read_as"),
    [
        (RegionKind.TABLE, RegionKind.TEXT),
        (RegionKind.FORMULA, RegionKind.TEXT),
        (RegionKind.CHART, RegionKind.IMAGE),
        (RegionKind.SEAL, RegionKind.SEAL),
        (RegionKind.IMAGE, RegionKind.IMAGE),
        (RegionKind.DOC_TITLE, RegionKind.DOC_TITLE),
    ],
)
def test_text_that_was_asked_for_is_text_and_pictures_stay_pictures(
    kind: RegionKind, read_as: RegionKind
) -> None:
    assert composed_kind(Task.OCR, kind) is read_as
    assert kind is RegionKind.SEAL or composed_kind(Task.SEAL, kind) is read_as


def test_no_kind_of_region_is_spotted() -> None:
    assert Task.SPOTTING not in {task_of(kind) for kind in RegionKind}


def test_spotting_sees_more_pixels() -> None:
    assert {task: max_pixels(task) for task in Task if max_pixels(task) != 1_003_520} == {
        Task.SPOTTING: 1_605_632
    }


@pytest.mark.parametrize("count", [1, 161, 2048])
def test_a_prompt_holds_the_image_between_its_marks(count: int) -> None:
    prompt = build_prompt(TOKENIZER, TEMPLATE, Task.TABLE, count)
    ids = prompt.ids.tolist()
    end = prompt.image_start + count
    assert ids[prompt.image_start : end] == [TOY_IDS.image] * count
    assert (ids[prompt.image_start - 1], ids[end]) == (TOY_IDS.image_start, TOY_IDS.image_end)
    assert (ids[0], ids.count(TOY_IDS.image)) == (TOY_IDS.begin_of_sentence, count)
    assert prompt.image_start + count + prompt.after_image == len(ids)
    assert TOKENIZER.decode(ids[end:]) == "Table Recognition:\nAssistant:\n"


def test_the_line_break_after_assistant_is_a_token_of_its_own() -> None:
    ids = build_prompt(TOKENIZER, TEMPLATE, "OCR:", 1).ids.tolist()
    without = build_prompt(TOKENIZER, ChatTemplate(TEMPLATE.before_image, "", "\nAssistant:"), "OCR:", 1).ids
    assert ids[-1] == TOKENIZER.encode("\n")[0]
    assert len(ids) == len(without) + 2


def test_a_tokenizer_without_images_is_refused() -> None:
    with pytest.raises(ModelMissing, match="IMAGE_PLACEHOLDER"):
        build_prompt(TextTokenizer(Tokenizer(models.BPE())), TEMPLATE, "OCR:", 1)


def test_a_prompt_that_spells_out_an_image_is_refused() -> None:
    with pytest.raises(InvalidOption, match="IMAGE_PLACEHOLDER"):
        build_prompt(TOKENIZER, TEMPLATE, "Read <|IMAGE_PLACEHOLDER|>:", 4)
