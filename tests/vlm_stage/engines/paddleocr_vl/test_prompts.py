import pytest
from tokenizers import Tokenizer, models

from arcscribe.errors import InvalidOption, ModelMissing
from arcscribe.types import RegionKind
from samples.checkpoints.token_ids import TOY_IDS
from samples.checkpoints.tokenizer import build_tokenizer
from vlm_stage.engines.paddleocr_vl.prompts import ChatTemplate, Task, build_prompt, max_pixels, task_of
from vlm_stage.engines.paddleocr_vl.tokenizer import TextTokenizer

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
