"""The toy reader's tokenizer: of the published kind, but each character of a text is a token.

So a draft's tokens are what the model writes, and an amount has one spelling. The prompts' words are tokens
too.
"""

from functools import cache
from itertools import accumulate, pairwise
from string import ascii_letters, digits, punctuation

from tokenizers import Tokenizer

from samples.checkpoints.token_ids import TOY_IDS
from samples.checkpoints.tokenizer import SPACE, assemble_tokenizer
from samples.toy_reader.wording import ALPHABET

VOCABULARY_SIZE = 512
IDS = TOY_IDS
PAD, EOS, IMAGE = 0, 2, IDS.image
WORDS = ("User", "Assistant", "OCR", "Table", "Formula", "Chart", "Seal", "Recognition", "Spotting")
TEXT = ALPHABET.replace(" ", SPACE)
CHARACTERS = tuple(dict.fromkeys(digits + ascii_letters + punctuation + "\n€£" + TEXT))


@cache
def tokenizer() -> Tokenizer:
    """The tokenizer; every id below `VOCABULARY_SIZE` that it does not use stands for nothing."""
    fixed = IDS.fixed()
    pieces = [piece for word in WORDS for piece in accumulate(word)]
    tokens = dict.fromkeys([*CHARACTERS, *pieces])
    free = (number for number in range(VOCABULARY_SIZE) if number not in fixed)
    vocabulary = {token: number for number, token in fixed.items()} | dict(zip(tokens, free, strict=False))
    merges = [(left, right[-1]) for word in WORDS for left, right in pairwise(accumulate(word))]
    return assemble_tokenizer(vocabulary, merges, IDS)


@cache
def prompt() -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The ids before and after the picture's."""
    return (
        tuple(encode("<|begin_of_sentence|>User: <|IMAGE_START|>")),
        tuple(encode("<|IMAGE_END|>OCR:\nAssistant:\n")),
    )


def encode(text: str) -> list[int]:
    """A text's ids, without a beginning or an end."""
    ids: list[int] = tokenizer().encode(text, add_special_tokens=False).ids
    return ids
