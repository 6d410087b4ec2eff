import json
from pathlib import Path

import pytest

from samples.checkpoints.token_ids import PUBLISHED_IDS, PUBLISHED_VOCABULARY, TOY_IDS
from samples.checkpoints.tokenizer import build_tokenizer, write_tokenizer


@pytest.mark.parametrize(("size", "ids"), [(512, TOY_IDS), (PUBLISHED_VOCABULARY, PUBLISHED_IDS)])
def test_every_id_below_the_size_has_a_token(tmp_path: Path, size: int, ids: object) -> None:
    assert write_tokenizer(tmp_path, size) == ids
    tokens = json.loads((tmp_path / "tokenizer.json").read_text())["model"]["vocab"]
    assert sorted(tokens.values()) == list(range(size))


def test_published_ids_are_where_the_configuration_says() -> None:
    tokenizer = build_tokenizer(PUBLISHED_VOCABULARY, PUBLISHED_IDS)
    tokens = ("<|IMAGE_PLACEHOLDER|>", "<|IMAGE_START|>", "<|IMAGE_END|>", "</s>", "<|LOC_1000|>")
    assert [tokenizer.token_to_id(token) for token in tokens] == [100_295, 101_305, 101_306, 2, 101_297]


def test_a_tokenizer_is_the_same_each_time(tmp_path: Path) -> None:
    for name in ("first", "second"):
        write_tokenizer(tmp_path / name)
    first, second = ((tmp_path / name / "tokenizer.json").read_bytes() for name in ("first", "second"))
    assert first == second


def test_words_of_its_lines_are_pieces_and_numbers_are_digits() -> None:
    tokens = build_tokenizer(700, TOY_IDS).encode("the customer pays 1204").tokens
    assert "▁customer" in tokens
    assert tokens[-5:] == ["▁", "1", "2", "0", "4"]


def test_a_vocabulary_without_room_is_refused() -> None:
    build_tokenizer(380, TOY_IDS)
    with pytest.raises(ValueError, match="no room"):
        build_tokenizer(379, TOY_IDS)
