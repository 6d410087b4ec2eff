"""One inference of the decoder: what goes in, and what came out."""

from dataclasses import dataclass

from arcscribe.types import FinishReason
from vlm_stage.engines.paddleocr_vl.scheduling.sequence import Sequence, Tokens


@dataclass(frozen=True, slots=True)
class Chunk:
    """Positions `start` to `start + length - 1` of a sequence are run; the last of them hold the draft.

    A chunk that reaches the last token known wants logits: for that token's row and for each of the draft.
    """

    sequence: Sequence
    start: int
    length: int
    draft: tuple[int, ...]
    wants_logits: bool

    @property
    def end(self) -> int:
        """The position after the last one run."""
        return self.start + self.length

    @property
    def known_end(self) -> int:
        """The position after the last one run that is no draft."""
        return self.end - len(self.draft)

    @property
    def logits_rows(self) -> int:
        """How many of its rows, the last ones, want logits."""
        return 1 + len(self.draft) if self.wants_logits else 0


@dataclass(frozen=True, slots=True)
class Step:
    """Chunks of different sequences that are run at once."""

    chunks: tuple[Chunk, ...]

    @property
    def sampled(self) -> tuple[Chunk, ...]:
        """The chunks that want logits, in order."""
        return tuple(chunk for chunk in self.chunks if chunk.wants_logits)


@dataclass(frozen=True, slots=True)
class Accepted:
    """What follows the last token known: tokens of the draft that the model wrote itself, and one more.

    With a `finish` the tokens may be fewer, or none: they are what the output is to end with.
    """

    tokens: Tokens
    finish: FinishReason | None = None


@dataclass(frozen=True, slots=True)
class Finished:
    """A sequence that has ended, and why."""

    sequence: Sequence
    reason: FinishReason
