"""The draft tokens that a step verifies beside what it has to run."""

from collections import abc

from vlm_stage.engines.paddleocr_vl.scheduling.kv_blocks import KvBlocks
from vlm_stage.engines.paddleocr_vl.scheduling.sequence import Sequence, Tokens
from vlm_stage.engines.paddleocr_vl.scheduling.step import Chunk

Planned = tuple[Sequence, int]
"""A sequence, and how many of its tokens known are run."""


def with_drafts(planned: abc.Sequence[Planned], budget: int, blocks: KvBlocks) -> abc.Iterator[Chunk]:
    """The chunks of a step, with at most `budget` draft tokens, as far as the free blocks reach."""
    decodes = sum(sequence.pending == 1 for sequence, _ in planned)
    drafts = [_propose(sequence, length, budget, decodes) for sequence, length in planned]
    shares = draft_shares([len(draft) for draft in drafts], budget)
    for (sequence, length), draft, share in zip(planned, drafts, shares, strict=True):
        end = sequence.computed + length
        taken = tuple(draft[: min(share, blocks.room(sequence) - end)])
        blocks.extend(sequence, end + len(taken))
        wants_logits = length == sequence.pending
        yield Chunk(sequence, sequence.computed, length + len(taken), taken, wants_logits)


def draft_shares(wanted: abc.Sequence[int], budget: int) -> list[int]:
    """Shares a budget evenly, and gives what some do not want to the others.

    Evenly, because the first tokens of a draft are the likeliest to be accepted. What does not divide goes to
    the earlier of those who want the same.
    """
    shares = [0] * len(wanted)
    left = budget
    for rank, index in enumerate(sorted(range(len(wanted)), key=wanted.__getitem__)):
        shares[index] = min(wanted[index], -(-left // (len(wanted) - rank)))
        left -= shares[index]
    return shares


def _propose(sequence: Sequence, length: int, budget: int, decodes: int) -> Tokens:
    """What may follow the output, if the step reaches its end; the model writes one token more than that."""
    limit = min(budget, sequence.max_new_tokens - len(sequence.output) - 1)
    if limit < 1 or length < sequence.pending:
        return ()
    beside = decodes - (sequence.pending == 1)
    return sequence.propose(sequence.output, limit, beside)[:limit]
