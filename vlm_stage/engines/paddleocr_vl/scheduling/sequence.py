"""The tokens of one crop, from its prompt to the last one generated."""

from collections import abc
from dataclasses import dataclass, field

Tokens = abc.Sequence[int]

Propose = abc.Callable[[Tokens, int, int], Tokens]
"""Drafts what comes next.

Called once for each step, with the output so far, the most tokens that have room, and the number of other
sequences that decode in the step.
"""


def no_draft(output: Tokens, limit: int, beside: int) -> Tokens:  # noqa: ARG001  # it is a Propose
    """Drafts nothing."""
    return ()


@dataclass(slots=True, eq=False)
class Sequence:
    """A prompt and what is generated after it; the scheduler's own from `add` until it ends or is cancelled.

    `stream` is the caller's stream, for fairness. The tokens known are the prompt's and the output's; all but
    the last are in the KV cache once the prompt has been run.
    """

    id: int
    stream: abc.Hashable
    prompt_length: int
    max_new_tokens: int
    propose: Propose = no_draft
    output: list[int] = field(default_factory=list)
    computed: int = 0
    """How many positions, from the first, are in the KV cache."""
    blocks: list[int] = field(default_factory=list)
    """The block table: position p is in `blocks[p // block_size]`."""
    admission: int = 0
    """Which one it was, from 1, to be admitted for the first time; 0 until then."""

    @property
    def total_length(self) -> int:
        """The number of tokens known."""
        return self.prompt_length + len(self.output)

    @property
    def pending(self) -> int:
        """How many of the tokens known are still to be run; 1 while it decodes."""
        return self.total_length - self.computed
