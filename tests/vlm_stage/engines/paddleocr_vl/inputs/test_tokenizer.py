import itertools
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, decoders

from arcscribe.errors import ModelMissing
from samples.checkpoints.token_ids import TOY_IDS
from samples.checkpoints.tokenizer import build_tokenizer
from vlm_stage.engines.paddleocr_vl.inputs.tokenizer import TextStream, TextTokenizer

SIZE = 512
BYTE = TOY_IDS.first_byte


def toy() -> Tokenizer:
    return build_tokenizer(SIZE, TOY_IDS)


def llama_like() -> Tokenizer:
    """One that strips the space which it puts before a text, as Llama's does."""
    tokenizer = toy()
    tokenizer.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    return tokenizer


def spaced() -> Tokenizer:
    """One that decodes the first token otherwise than the same token later."""
    tokenizer = toy()
    tokenizer.decoder = decoders.Metaspace(replacement="▁", prepend_scheme="always")
    return tokenizer


TOKENIZERS = [TextTokenizer(build()) for build in (toy, llama_like, spaced)]
TOY = TOKENIZERS[0]

# Some beyond the vocabulary, as a model may have; many bytes, to have long runs of them.
ids = st.lists(
    st.integers(0, SIZE - 1)
    | st.integers(SIZE, SIZE + 5)
    | st.integers(BYTE, BYTE + 255)
    | st.integers(BYTE + 0x80, BYTE + 0xF4),
    max_size=40,
)
scripts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="▁"), max_size=30)


def rest(stream: TextStream) -> str:
    """What it holds back for what may follow, when nothing follows."""
    return stream._advance(len(stream._ids))


def streamed(stream: TextStream, numbers: list[int], cuts: list[int]) -> list[str]:
    """The text after each of several pushes, cut where `cuts` says, and at the end."""
    bounds = [0, *sorted(cut % (len(numbers) + 1) for cut in cuts), len(numbers)]
    texts = []
    for start, end in itertools.pairwise(bounds):
        before = stream.text
        fresh = stream.push(numbers[start:end])
        assert stream.text == before + fresh
        texts.append(stream.text)
    return [*texts, stream.text + rest(stream)]


@pytest.mark.parametrize("tokenizer", TOKENIZERS, ids=["published", "llama", "metaspace"])
@given(numbers=ids, cuts=st.lists(st.integers(0, 40), max_size=40), skip=st.booleans())
def test_the_text_grows_towards_what_all_ids_decode_to(
    tokenizer: TextTokenizer, numbers: list[int], cuts: list[int], skip: bool
) -> None:
    *partial, final = streamed(TextStream(tokenizer, skip), numbers, cuts)
    assert final == tokenizer.decode(numbers, skip)
    assert all(final.startswith(text) for text in partial)


@given(text=scripts)
def test_any_text_comes_back_from_its_ids_one_by_one(text: str) -> None:
    numbers = TOY.encode(text)
    *partial, final = streamed(TextStream(TOY), numbers, list(range(len(numbers))))
    assert final == text == TOY.decode(numbers)
    assert all("\ufffd" not in part for part in partial) or "\ufffd" in text


def test_half_a_character_waits_for_its_other_half() -> None:
    stream = TextStream(TOY)
    given = [stream.push([number]) for number in [*TOY.encode("a"), *TOY.encode("😀"), *TOY.encode("b")]]
    assert given == ["a", "", "", "", "", "😀b"]


def test_bytes_that_are_no_character_are_marked_one_by_one_at_the_end() -> None:
    stream = TextStream(TOY)
    assert stream.push([BYTE + 0xE4, BYTE + 0xB8]) == ""
    assert rest(stream) == "\ufffd\ufffd" == stream.text
    assert rest(stream) == ""


def test_a_character_is_not_given_while_bytes_after_it_may_spoil_its_run() -> None:
    spoiled = [BYTE + value for value in ("中".encode() + b"\xe4")]
    stream = TextStream(TOY)
    assert stream.push(spoiled[:3]) == ""
    assert stream.push(spoiled[3:]) + rest(stream) == TOY.decode(spoiled) == "\ufffd" * 4


def test_text_that_is_certain_is_given_at_once() -> None:
    stream = TextStream(TOY)
    for text in ("The", " supplier", " delivers", "\n", "甲方"):
        assert stream.push(TOY.encode(text)) == text


@pytest.mark.parametrize("unseen", [SIZE + 1, TOY_IDS.image])
def test_the_space_after_a_token_that_leaves_no_text_stays(unseen: int) -> None:
    tokenizer = TOKENIZERS[1]
    stream = TextStream(tokenizer)
    assert stream.push(tokenizer.encode(" the")) == "the"
    assert stream.push([unseen]) == ""
    assert stream.push(tokenizer.encode(" customer")) == " customer"


def test_special_tokens_are_text_where_they_are_asked_for() -> None:
    text = "<|LOC_3|>a<|LOC_4|></s>"
    numbers = TOY.encode(text)
    assert len(numbers) == 4
    assert TOY.decode(numbers) == "a"
    assert TOY.decode(numbers, skip_special=False) == text
    assert streamed(TextStream(TOY, skip_special=False), numbers, [1, 2])[-1] == text


def test_the_tokens_of_a_table_are_text() -> None:
    text = "<fcel>1<ecel><nl>"
    assert TOY.decode(TOY.encode(text)) == text


def test_ids_are_known_by_what_they_stand_for() -> None:
    assert TOY.token_id("</s>") == 2
    assert TOY.token_id("<|IMAGE_PLACEHOLDER|>") == TOY_IDS.image
    assert {0, 1, 2, TOY_IDS.image, TOY_IDS.first_location} <= TOY.special_ids
    assert TOY.byte_ids == frozenset(range(BYTE, BYTE + 256))
    assert TOY.has_token(SIZE - 1)
    assert not TOY.has_token(SIZE)
    with pytest.raises(ModelMissing, match="IMAGE_MIDDLE"):
        TOY.token_id("<|IMAGE_MIDDLE|>")


def test_what_a_file_says_of_truncation_and_padding_does_not_hold() -> None:
    tokenizer = toy()
    tokenizer.enable_truncation(3)
    tokenizer.enable_padding(length=5)
    assert len(TextTokenizer(tokenizer).encode("0123456789")) == 10
    assert len(TextTokenizer(tokenizer).encode("0")) == 1


@pytest.mark.parametrize("content", [None, "", "{}", "version https://git-lfs.github.com/spec/v1"])
def test_a_file_that_is_no_tokenizer_is_named(tmp_path: Path, content: str | None) -> None:
    path = tmp_path / "tokenizer.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(ModelMissing, match=r"tokenizer\.json"):
        TextTokenizer.from_file(path)


def test_a_file_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    toy().save(str(path))
    assert TextTokenizer.from_file(path).encode("甲方 1") == TOY.encode("甲方 1")
