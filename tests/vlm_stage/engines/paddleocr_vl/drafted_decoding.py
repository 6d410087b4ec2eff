"""A decoder without a network, for drafts: a model is a function from the tokens so far to the next one."""

import random
from collections.abc import Callable, Sequence
from zlib import crc32

from vlm_stage.engines.paddleocr_vl.decoding.sampler import verify_draft
from vlm_stage.engines.paddleocr_vl.drafts.costs import DraftCosts
from vlm_stage.engines.paddleocr_vl.drafts.drafter import Drafter

END = 2
VOCABULARY = 103_424

Model = Callable[[Sequence[int]], int]


def saying(output: Sequence[int]) -> Model:
    """A model that says exactly this, and nothing sensible after anything else."""

    def next_token(history: Sequence[int]) -> int:
        matches = len(history) < len(output) and list(history) == list(output[: len(history)])
        return output[len(history)] if matches else -1

    return next_token


def babbling(seed: int, vocabulary: int) -> Model:
    """A model whose next token, END among them, depends on the last three, so that outputs repeat
    themselves."""

    def next_token(history: Sequence[int]) -> int:
        return END + crc32(repr((seed, list(history[-3:]))).encode()) % vocabulary

    return next_token


def decode(model: Model, length: int) -> list[int]:
    """What the model says, one token at a time."""
    output: list[int] = []
    while len(output) < length and END not in output[-1:]:
        output.append(model(output))
    return output


def decode_with_draft(
    model: Model, draft: Sequence[int], length: int, costs: DraftCosts | None = None
) -> tuple[list[int], float]:
    """What the model says when a draft is verified on the way, and the cost in steps of one token."""
    costs = costs or DraftCosts()
    drafter, output, cost = Drafter(draft, costs), list[int](), 0.0
    while len(output) < length and END not in output[-1:]:
        proposal = drafter.propose(output, length - len(output) - 1)
        chosen = [model([*output, *proposal[:position]]) for position in range(len(proposal) + 1)]
        accepted = verify_draft(proposal, chosen)
        drafter.observe(len(accepted) - 1)
        output.extend(accepted[: accepted.index(END) + 1] if END in accepted else accepted)
        cost += costs.of(1 + len(proposal))
    return output, cost


def speed_up(output: Sequence[int], draft: Sequence[int], costs: DraftCosts | None = None) -> float:
    """How many times faster this output is decoded with the draft than without."""
    decoded, cost = decode_with_draft(saying(output), draft, len(output), costs)
    assert decoded == list(output)
    return len(output) / cost


def random_output(seed: int, vocabulary: int = VOCABULARY) -> list[int]:
    """An output of 200 to 400 tokens and its end."""
    chance = random.Random(seed)
    return [chance.randrange(END + 1, vocabulary) for _ in range(chance.randint(200, 400))] + [END]


def corrupted(output: Sequence[int], accuracy: float, kinds: str, seed: int) -> list[int]:
    """A draft in which each token is right with this probability, independently.

    Args:
        output: what the draft ought to be.
        accuracy: from 0 to 1.
        kinds: what befalls the others: `s` substitution, `i` insertion of another before it, `d` deletion.
        seed: of chance.
    """
    chance, draft = random.Random(seed), list[int]()
    for token in output:
        kind = "" if chance.random() < accuracy else chance.choice(kinds)
        if kind in ("s", "i"):
            draft.append(chance.randrange(END + 1, VOCABULARY))
        if kind in ("", "i"):
            draft.append(token)
    return draft
