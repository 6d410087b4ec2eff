"""The toy reader's tokenizer: of the published kind, but each character of a text is a token.

So a draft's tokens are what the model writes, and an amount has one spelling. The prompts' words are tokens
too.
"""

from functools import cache
from itertools import accumulate, pairwise
from string import ascii_letters, digits, punctuation

from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers

from samples.checkpoints.token_ids import OTSL, TOY_IDS
from samples.toy_reader.wording import ALPHABET

VOCABULARY_SIZE = 512
IDS = TOY_IDS
PAD, EOS, IMAGE = 0, 2, IDS.image
WORDS = ("User", "Assistant", "OCR", "Table", "Formula", "Chart", "Seal", "Recognition", "Spotting")
SPACE = "▁"
"""How the vocabulary writes a space, as sentencepiece does."""
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
    made = Tokenizer(
        models.BPE(vocab=vocabulary, merges=merges, unk_token="<unk>", fuse_unk=True, byte_fallback=True)
    )
    made.normalizer = normalizers.Sequence([normalizers.Replace(" ", SPACE)])
    made.decoder = decoders.Sequence([decoders.Replace(SPACE, " "), decoders.ByteFallback(), decoders.Fuse()])
    special = ["<unk>", "<s>", "</s>", *IDS.special().values()]
    made.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in special])
    made.add_tokens([AddedToken(token, special=False, normalized=False) for token in OTSL])
    return made


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
