"""A tokenizer of the published kind, as small as its vocabulary is to be.

BPE over characters with spaces written as `▁`, bytes for what it has no character for, and no space put
before a text: what the published `tokenizer.json` is. The pieces are learned from a few lines; ids that are
left over stand for single Chinese and Korean characters, then for made-up words, so that random ids are text
too.
"""

import itertools
import json
import string
from collections.abc import Iterator, Mapping
from pathlib import Path

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

from samples.checkpoints.chat_templates import CHAT_TEMPLATE
from samples.checkpoints.token_ids import OTSL, PUBLISHED_IDS, PUBLISHED_VOCABULARY, TOY_IDS, TokenIds

LINES = (
    "User: OCR: Table Recognition: Assistant:",
    "User: Formula Recognition: Chart Recognition: Seal Recognition: Spotting: Assistant:",
    "OCR: Spotting:",
    "The supplier delivers within thirty days of the order, and the customer pays within fourteen days.",
    "This agreement is governed by the law of the place where the supplier has its seat.",
    "Invoice No. 4711 of 3 May 2026: total 1,204.50 EUR, of which value added tax 19 % 192.31 EUR.",
    "The place of the delivery is the warehouse of the customer; the risk passes with the delivery.",
    "甲方应当在收到发票之日起三十日内支付合同价款。",
    "乙方应当在合同签订之日起十五日内交付货物。",
    "本合同自双方签字盖章之日起生效,一式两份,双方各执一份。",
    r"\frac{a}{b} + \sqrt{x^2 + y^2} = \sum_{i=1}^{n} x_i",
)
SPACE = "▁"
"""How the vocabulary writes a space, as sentencepiece does."""
CHARACTERS = string.digits + string.ascii_letters + string.punctuation + f"{SPACE}\n€£"
LEARNED = 700
"""Pieces learned from the lines, at most."""

NAMED = {"unk_token": "<unk>", "bos_token": "<s>", "eos_token": "</s>", "pad_token": "<unk>"} | {
    "cls_token": "<|begin_of_sentence|>",
    "sep_token": "<|end_of_sentence|>",
}


def write_tokenizer(
    folder: Path,
    vocabulary_size: int = 512,
    ids: TokenIds | None = None,
    chat_template: str = CHAT_TEMPLATE,
) -> TokenIds:
    """Writes `tokenizer.json`, `tokenizer_config.json`, `special_tokens_map.json` and `chat_template.jinja`.

    Args:
        folder: made where it is not there.
        vocabulary_size: every id below it has a token; 380 is the least for TOY_IDS.
        ids: the published ones where there is room for them, else TOY_IDS.

    Returns:
        The ids.

    Raises:
        ValueError: the vocabulary has no room for the ids.
    """
    if ids is None:
        ids = PUBLISHED_IDS if vocabulary_size >= PUBLISHED_VOCABULARY else TOY_IDS
    folder.mkdir(parents=True, exist_ok=True)
    build_tokenizer(vocabulary_size, ids).save(str(folder / "tokenizer.json"))
    _write_json(folder / "tokenizer_config.json", _config(ids))
    _write_json(folder / "special_tokens_map.json", NAMED)
    (folder / "chat_template.jinja").write_text(chat_template, encoding="utf-8")
    return ids


def build_tokenizer(vocabulary_size: int, ids: TokenIds) -> Tokenizer:
    """The tokenizer itself.

    Raises:
        ValueError: the vocabulary has no room for the ids.
    """
    return assemble_tokenizer(*_lay_out(vocabulary_size, ids), ids)


def assemble_tokenizer(
    vocabulary: Mapping[str, int], merges: list[tuple[str, str]], ids: TokenIds
) -> Tokenizer:
    """The tokenizer of a vocabulary, which holds the tokens of `ids`.

    Args:
        vocabulary: each token's id.
        merges: pairs of tokens in the order in which to join them.
        ids: of the tokens that no text teaches.
    """
    model = models.BPE(
        vocab=dict(vocabulary), merges=merges, unk_token="<unk>", fuse_unk=True, byte_fallback=True
    )
    tokenizer = Tokenizer(model)
    tokenizer.normalizer = normalizers.Sequence([normalizers.Replace(" ", SPACE)])
    tokenizer.decoder = decoders.Sequence(
        [decoders.Replace(SPACE, " "), decoders.ByteFallback(), decoders.Fuse()]
    )
    special = ["<unk>", "<s>", "</s>", *ids.special().values()]
    tokenizer.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in special])
    tokenizer.add_tokens([AddedToken(token, special=False, normalized=False) for token in OTSL])
    return tokenizer


def _lay_out(size: int, ids: TokenIds) -> tuple[Mapping[str, int], list[tuple[str, str]]]:
    """The vocabulary, and those of the learned merges whose pieces are in it."""
    fixed = ids.fixed()
    if max(fixed) >= size or len(fixed) + len(CHARACTERS) > size:
        raise ValueError(f"a vocabulary of {size} has no room for {len(fixed)} tokens up to {max(fixed)}")
    characters, merges = _learn()
    learned = [*characters, *("".join(pair) for pair in merges)]
    pieces = dict.fromkeys([*learned, *itertools.islice(_fill(), size)])
    free = (number for number in range(size) if number not in fixed)
    vocabulary = {token: number for number, token in fixed.items()} | dict(zip(pieces, free, strict=False))
    return vocabulary, [pair for pair in merges if {*pair, "".join(pair)} <= vocabulary.keys()]


def _learn() -> tuple[list[str], list[tuple[str, str]]]:
    """The characters of the lines, and pairs of pieces in the order in which to join them."""
    learner = Tokenizer(models.BPE())
    learner.normalizer = normalizers.Replace(" ", SPACE)
    # Digits stand alone, so that no number is a word; a word may begin with its space.
    learner.pre_tokenizer = pre_tokenizers.Split(Regex(r"▁?[^▁\d]+|▁|\d"), "removed", invert=True)
    trainer = trainers.BpeTrainer(
        vocab_size=LEARNED,
        min_frequency=2,
        initial_alphabet=list(CHARACTERS),
        max_token_length=12,
        show_progress=False,
    )
    learner.train_from_iterator(LINES, trainer)
    learned = json.loads(learner.to_str())["model"]
    merges = [(first, second) for first, second in learned["merges"]]
    joined = {first + second for first, second in merges}
    return [piece for piece in learned["vocab"] if piece not in joined], merges


def _fill() -> Iterator[str]:
    """Pieces that no line taught, without end."""
    for first, last in ((0x4E00, 0x9FA5), (0xAC00, 0xD7A3)):
        yield from map(chr, range(first, last + 1))
    for length in itertools.count(3):
        for letters in itertools.product("aeinorstul", repeat=length):
            yield SPACE + "".join(letters)


def _config(ids: TokenIds) -> dict[str, object]:
    return NAMED | {
        "add_bos_token": False,
        "add_eos_token": False,
        "additional_special_tokens": list(ids.special().values()),
        "clean_up_tokenization_spaces": False,
        "image_token": "<|IMAGE_PLACEHOLDER|>",
        "model_max_length": 131_072,
        "processor_class": "PaddleOCRVLProcessor",
        "tokenizer_class": "LlamaTokenizer",
    }


def _write_json(path: Path, content: object) -> None:
    path.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
