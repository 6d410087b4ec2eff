"""Drafts: text that may be what the model is about to say, offered to it a few tokens at a time.

A step that verifies k drafted tokens gives up to k + 1 tokens and costs less than k + 1 steps, because the
weights are read once (Leviathan et al., "Fast Inference from Transformers via Speculative Decoding", ICML
2023; here the draft is a text, as in Yang et al., "Inference with Reference", 2023). How many to offer
follows from what a step costs and from how well the draft has foretold this output so far.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import takewhile

from vlm_stage.engines.paddleocr_vl.drafts.alignment import Alignment, Footing
from vlm_stage.engines.paddleocr_vl.drafts.costs import DraftCosts, best_length, verification_costs

_LONGEST = 32
"""Drafted tokens in one step at most: more gain nothing on a CPU, and hold up the other sequences."""
_PRIORS = {
    Footing.LOST: (0.5, 2.0),
    Footing.GUESSED: (1.0, 2.0),
    Footing.TOKEN_FOUND: (1.0, 1.5),
    Footing.PAIR_FOUND: (2.0, 1.0),
    Footing.ALIGNED: (4.0, 0.4),
}
"""Hits and misses that a draft is credited with before it has any."""
_REMEMBERED = 128.0
"""Tokens after which older ones count less, since one part of a page may be read worse than another."""


class Drafter:
    """Offers the tokens of one sequence's draft where they fit its output.

    What becomes of a draft is seen in the output: each token that the draft foretold is a hit, offered or
    not. So offers depend on the draft and the output alone, and a sequence that is recomputed loses nothing.
    """

    def __init__(self, draft_token_ids: Sequence[int], costs: DraftCosts | None = None) -> None:
        self._alignment = Alignment(draft_token_ids)
        self._costs = costs or DraftCosts()
        self._seen = 0
        self._hits = [_PRIORS[footing][0] for footing in Footing]
        self._misses = [_PRIORS[footing][1] for footing in Footing]
        self.accepted_tokens = 0
        """How many tokens of the output were proposed, and verified, before they were known."""

    def propose(self, output: Sequence[int], limit: int, beside: int = 0) -> Sequence[int]:
        """The tokens that are worth verifying after the output; none if they would cost more than they give.

        Args:
            output: all tokens generated so far, which may be none; it only grows from call to call.
            limit: the most tokens that may be proposed.
            beside: tokens of other sequences that are decoded in the same step. Those of prompts do not
                count: they add nothing to the output, with which costs are compared.
        """
        for token in output[self._seen :]:
            self._learn(token)
        self._seen = len(output)
        draft, place = self._alignment.draft, self._alignment.place
        longest = min(limit, _LONGEST, len(draft) - place)
        if longest <= 0:
            return ()
        costs = verification_costs(self._costs, beside, _LONGEST)
        return draft[place : place + best_length(self._likelihoods(longest), costs)]

    def observe(self, accepted: int) -> None:
        """Counts how much of a proposal was accepted. Learning needs no telling: the output says it."""
        self.accepted_tokens += accepted

    def _learn(self, token: int) -> None:
        alignment = self._alignment
        if alignment.place < len(alignment.draft):
            counts = self._hits if alignment.expects(token) else self._misses
            counts[alignment.footing] += 1.0
            self._fade(alignment.footing)
        alignment.follow(token)

    def _fade(self, footing: Footing) -> None:
        total = self._hits[footing] + self._misses[footing]
        if total > _REMEMBERED:
            self._hits[footing] *= _REMEMBERED / total
            self._misses[footing] *= _REMEMBERED / total

    def _likelihoods(self, longest: int) -> Iterator[float]:
        """That the next 1, 2, ... `longest` tokens of the draft are all the model's."""
        footing, likelihood = self._alignment.footing, 1.0
        for _ in range(longest):
            likelihood *= self._hits[footing] / (self._hits[footing] + self._misses[footing])
            yield likelihood
            footing = footing.after_hit()


def draft_tokens(
    text: str, encode: Callable[[str], Sequence[int]], end_token: int, before: str = "Assistant:\n"
) -> tuple[int, ...]:
    """The tokens that a model would generate if it said this text and then ended.

    The text is encoded behind what precedes it in the prompt, so that a tokenizer which treats the start of a
    text as the start of a word does not change the first token. The end token is part of a draft: the step
    that verifies the last words then also finds the end.

    Args:
        text: the draft; white space round it is dropped.
        encode: text to token ids, without special tokens.
        end_token: the model's end of sequence.
        before: how the prompt ends.

    Returns:
        No tokens for a text without any: nothing is known then, not that the crop is empty.
    """
    text = text.strip()
    if not text:
        return ()
    context, whole = encode(before), encode(before + text)
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(context, whole, strict=False)))
    return (*whole[shared:], end_token)
