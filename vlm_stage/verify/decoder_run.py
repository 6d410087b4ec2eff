"""What a device's decoder writes of the pictures, word by word after the reference."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import cycle, islice

from vlm_stage.progress import Report
from vlm_stage.verify.compare import Agreement, Difference, agreement, difference, worst_of
from vlm_stage.verify.decoding import Text, alone, in_drafts, together
from vlm_stage.verify.speed import tokens_per_second
from vlm_stage.verify.stepper import Logits, Stepper

SIDE_BY_SIDE = 8
"""Texts that are written at once."""
SLACK = 64
"""Positions behind a text, for rejected drafts and for measuring speed."""


@dataclass(frozen=True, slots=True)
class DecoderFindings:
    """How far logits are from the reference's, and those of texts written side by side, or in steps that
    verify drafts, from those of the same texts written alone, token by token."""

    reference: Difference
    agreement: Agreement
    batch: Difference
    drafts: Difference
    tokens_per_second: float
    tokens_per_second_of_many: float


def run_decoder(
    stepper: Stepper, texts: Sequence[Text], expected: Sequence[Logits], clear_lead: float, report: Report
) -> DecoderFindings:
    """Runs texts, at least one, on a stepper with `SIDE_BY_SIDE` places.

    Speed is measured right behind the texts that were written side by side, whose prompts are in the cache.

    Args:
        stepper: the device's decoder.
        texts: of the pictures.
        expected: the reference's logits of each text.
        clear_lead: `Agreement.lead`.
        report: is told how far it is.
    """
    own = []
    for number, text in enumerate(texts):
        report("write alone", number / len(texts))
        own.append(alone(stepper, text))
    report("write side by side", 0.0)
    many = list(islice(cycle(texts), SIDE_BY_SIDE))
    batch = _worst(together(stepper, many), list(islice(cycle(own), SIDE_BY_SIDE)))
    report("measure speed", 0.0)
    speed_of_many, speed = tokens_per_second(stepper, many), tokens_per_second(stepper, many[:1])
    drafts = []
    for number, text in enumerate(texts):
        report("verify drafts", number / len(texts))
        drafts.append(in_drafts(stepper, text, place=(number + 1) % SIDE_BY_SIDE))  # the next text's
    return DecoderFindings(
        reference=_worst(own, expected),
        agreement=agreement(own, expected, clear_lead),
        batch=batch,
        drafts=_worst(drafts, own),
        tokens_per_second=speed,
        tokens_per_second_of_many=speed_of_many,
    )


def _worst(found: Sequence[Logits], expected: Sequence[Logits]) -> Difference:
    return worst_of(difference(*pair) for pair in zip(found, expected, strict=True))
