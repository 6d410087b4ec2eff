import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from samples.toy_reader import vocabulary
from samples.toy_reader.batches import BLANK, END_CLASS, example, patchify, stack
from samples.toy_reader.lines import Line, draw_line
from samples.toy_reader.wording import ALPHABET, CJK, LONGEST, is_held_out, random_text
from vlm_stage.engines.paddleocr_vl.inputs import images
from vlm_stage.engines.paddleocr_vl.inputs.images import ImageSettings
from vlm_stage.engines.paddleocr_vl.inputs.tokenizer import TextTokenizer

IMAGES = ImageSettings(min_pixels=784, image_mean=(0.5, 0.5, 0.5), image_std=(0.5, 0.5, 0.5))
SAMPLES = Path(__file__).parents[2] / "samples"
AILERON = [character for character in ALPHABET if character not in CJK + "¥"]
"""What Pillow's own typeface has."""


def aileron_line(text: str, size: int = 26, height: int = 33) -> Line:
    return draw_line(np.random.default_rng(3), text, None, size, height)


@given(st.integers(0, 2**32))
def test_texts_are_of_the_alphabet_and_a_token_a_character(seed: int) -> None:
    text = random_text(np.random.default_rng(seed))
    assert 1 <= len(text) <= LONGEST
    assert text == " ".join(text.split())
    ids = vocabulary.encode(text)
    assert len(ids) == len(text)
    assert TextTokenizer(vocabulary.tokenizer()).decode(ids) == text


def test_one_text_in_twenty_is_held_out() -> None:
    rng = np.random.default_rng(0)
    share = np.mean([is_held_out(random_text(rng)) for _ in range(4000)])
    assert 0.03 < share < 0.07


def test_the_pictures_kept_are_of_texts_held_out() -> None:
    truth = json.loads((SAMPLES / "toy_reader/pictures/truth.json").read_text(encoding="utf-8"))
    assert len(truth) == 40
    assert all(is_held_out(line["text"]) for line in truth)
    assert len({line["face"] for line in truth}) >= 2


def test_the_checkpoints_tokenizer_is_the_one_it_was_trained_with() -> None:
    kept = Tokenizer.from_file(str(SAMPLES / "checkpoints/reader/tokenizer.json"))
    assert kept.get_vocab() == vocabulary.tokenizer().get_vocab()


def test_the_prompt_is_the_templates() -> None:
    before, after = vocabulary.prompt()
    text = TextTokenizer(vocabulary.tokenizer()).decode([*before, *after], skip_special=False)
    assert text == "<|begin_of_sentence|>User: <|IMAGE_START|><|IMAGE_END|>OCR:\nAssistant:\n"
    assert len(after) == 7, "words of the prompt are single tokens"


@given(st.text(st.sampled_from(AILERON), min_size=1, max_size=14).filter(lambda t: t == " ".join(t.split())))
def test_targets_spell_the_text_and_its_end(text: str) -> None:
    made = example(aileron_line(text))
    if made is None:  # too crowded
        return
    classes = made.slot_class[made.slot_class != BLANK]
    assert "".join(ALPHABET[c - 1] for c in classes[:-1]) == text
    assert classes[-1] == END_CLASS
    for index, (token, slot) in enumerate(made.place):
        assert made.token_count[token] + slot == index


@pytest.mark.parametrize(("size", "height"), [(20, 22), (26, 33), (32, 41)])
def test_pictures_become_the_engines_patches(size: int, height: int) -> None:
    line = aileron_line("-1,204.50", size, height)
    theirs = images.patchify(np.repeat(line.pixels[:, :, None], 3, axis=2), IMAGES)
    width = theirs.columns // 2
    assert theirs.rows == 2
    ours = patchify(line.pixels, width).reshape(2, width, 2, 196).transpose(1, 0, 2, 3).reshape(-1, 196)
    for channel in range(3):
        np.testing.assert_allclose(
            theirs.values[:, channel * 196 : (channel + 1) * 196], ours, atol=1e-6, rtol=0
        )


def test_a_batch_pads_texts_and_ignores_the_padding() -> None:
    lines = [example(aileron_line(text)) for text in ("1:1", "888")]
    batch = stack([line for line in lines if line is not None])
    assert batch.labels.shape == (2, 4)
    assert batch.labels[:, 3].tolist() == [vocabulary.EOS] * 2
    longer = stack(
        [line for line in (example(aileron_line(t)) for t in ("1:1:1", "888")) if line is not None]
    )
    assert longer.labels[1].tolist() == [*vocabulary.encode("888"), vocabulary.EOS, -100, -100]
