"""The sizes that bound the scheduler."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SchedulerSettings:
    """Sizes of the KV cache and of a step.

    A step holds at most `max_sequences` sequences, with at most `token_budget` tokens that are known and
    `draft_budget` that are drafts, so that drafts take no place from others.

    Raises:
        ValueError: a size is not positive, or the decodes of a step might not fit in its token budget.
    """

    block_size: int
    """Positions of one KV block."""
    block_count: int
    max_sequences: int
    token_budget: int
    draft_budget: int

    def __post_init__(self) -> None:
        if min(self.block_size, self.block_count, self.max_sequences) < 1 or self.draft_budget < 0:
            raise ValueError(f"every size must be at least 1, and draft_budget at least 0: {self}")
        if self.token_budget < self.max_sequences:
            raise ValueError(
                f"token_budget is {self.token_budget}, less than max_sequences, {self.max_sequences}"
            )

    @property
    def capacity(self) -> int:
        """The positions that the whole KV cache holds."""
        return self.block_size * self.block_count
