"""Text to token ids and back, whole or while a sequence grows."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import tokenizers

from arcscribe.errors import ModelMissing

_BYTE = re.compile(r"<0x[0-9A-Fa-f]{2}>")
"""A token that stands for one byte of UTF-8, as sentencepiece writes it."""


class TextTokenizer:
    """A checkpoint's `tokenizer.json`. Ids that it has no token for leave no text, as in transformers."""

    def __init__(self, tokenizer: tokenizers.Tokenizer) -> None:
        tokenizer.no_truncation()
        tokenizer.no_padding()
        self._tokenizer = tokenizer
        added = tokenizer.get_added_tokens_decoder()
        self.special_ids = frozenset(number for number, token in added.items() if token.special)
        vocabulary = tokenizer.get_vocab()
        self.byte_ids = frozenset(number for token, number in vocabulary.items() if _BYTE.fullmatch(token))
        self.last_id = max(vocabulary.values(), default=-1)

    @classmethod
    def from_file(cls, path: Path) -> "TextTokenizer":
        """The tokenizer of a `tokenizer.json`.

        Raises:
            ModelMissing: the file is not there, or not a tokenizer.
        """
        try:
            return cls(tokenizers.Tokenizer.from_file(str(path)))
        except Exception as error:  # tokenizers raises nothing more precise
            raise ModelMissing(f"{path} is not a tokenizer that can be read: {error}") from error

    def token_id(self, token: str) -> int:
        """The id of a token, written as the vocabulary writes it.

        Raises:
            ModelMissing: there is none, so this is not the tokenizer of a PaddleOCR-VL.
        """
        number = self._tokenizer.token_to_id(token)
        if number is None:
            raise ModelMissing(f"the tokenizer has no token {token!r}: it is not a PaddleOCR-VL's")
        return number

    def find_token(self, token: str) -> int | None:
        """The id of a token that a vocabulary may lack."""
        number: int | None = self._tokenizer.token_to_id(token)
        return number

    def has_token(self, number: int) -> bool:
        """Whether an id stands for a token: models have more ids than their tokenizers."""
        return self._tokenizer.id_to_token(number) is not None

    def encode(self, text: str, add_special: bool = False) -> list[int]:
        """The ids of a text, in which special tokens may be spelled out.

        `add_special` puts round it what `tokenizer.json` puts round every text.
        """
        return self._tokenizer.encode(text, add_special_tokens=add_special).ids

    def decode(self, ids: Sequence[int], skip_special: bool = True) -> str:
        """The text of ids. Bytes that are no UTF-8 come out as U+FFFD, each byte of their run as one."""
        return self._tokenizer.decode(ids, skip_special_tokens=skip_special)


class TextStream:
    """The text of a sequence that grows, as far as it is certain: a beginning of what `decode` makes of all
    ids at once.

    What `push` has given stands. So bytes wait until their run is over, not for their character only: where a
    run ends in something that is no UTF-8, none of its characters is decoded (which is why
    `tokenizers.DecodeStream`, which gives them as they come, is not used here).
    """

    def __init__(self, tokenizer: TextTokenizer, skip_special: bool = True) -> None:
        self._tokenizer = tokenizer
        self._skip_special = skip_special
        self._ids: list[int] = []
        self._known = 0
        """So many of `_ids`, one or none, are in the text already: the first token may decode otherwise."""
        self._parts: list[str] = []

    @property
    def text(self) -> str:
        """All of the text so far."""
        return "".join(self._parts)

    def push(self, ids: Iterable[int]) -> str:
        """Takes the next ids, and gives the text that is certain now and was not before."""
        self._ids.extend(number for number in ids if self._shows(number))
        end = len(self._ids)
        while end > self._known and self._ids[end - 1] in self._tokenizer.byte_ids:
            end -= 1
        return self._advance(end)

    def _shows(self, number: int) -> bool:
        if self._skip_special and number in self._tokenizer.special_ids:
            return False
        return self._tokenizer.has_token(number)

    def _advance(self, end: int) -> str:
        if end == self._known:
            return ""
        known = self._decode(self._ids[: self._known])
        fresh = self._decode(self._ids[:end])[len(known) :]
        self._ids = self._ids[end - 1 :]
        self._known = 1
        self._parts.append(fresh)
        return fresh

    def _decode(self, ids: list[int]) -> str:
        return self._tokenizer.decode(ids, self._skip_special)
