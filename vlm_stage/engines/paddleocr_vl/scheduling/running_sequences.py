"""The sequences that hold KV blocks, and who loses them when they run out."""

from bisect import insort
from collections import Counter, abc
from operator import attrgetter

from vlm_stage.engines.paddleocr_vl.scheduling.kv_blocks import KvBlocks
from vlm_stage.engines.paddleocr_vl.scheduling.sequence import Sequence


class RunningSequences:
    """At most `limit` sequences, the one admitted first at the front."""

    def __init__(self, blocks: KvBlocks, limit: int) -> None:
        self._blocks = blocks
        self._limit = limit
        self._sequences: list[Sequence] = []

    def __len__(self) -> int:
        return len(self._sequences)

    def __iter__(self) -> abc.Iterator[Sequence]:
        return iter(self._sequences)

    def has_room_for(self, sequence: Sequence) -> bool:
        """Whether one more may run.

        A block for each of the others stays free, or the first of them to grow would preempt it at once.
        """
        count = len(self._sequences)
        return count < self._limit and self._blocks.missing(sequence) + count <= self._blocks.free

    def enter(self, sequence: Sequence) -> None:
        """Takes a sequence for which there is room, and gives it blocks for all tokens known of it."""
        self._blocks.extend(sequence, sequence.total_length)
        insort(self._sequences, sequence, key=attrgetter("admission"))

    def remove(self, sequence: Sequence) -> None:
        """Takes a sequence out, which keeps its blocks."""
        self._sequences.remove(sequence)

    def grow(self) -> list[Sequence]:
        """Gives each sequence blocks for all tokens known of it.

        The last one that is left has room alone, since none grows beyond the whole cache.

        Returns:
            The sequences that had to give up their blocks for that, and run no more.
        """
        preempted = []
        while sum(map(self._blocks.missing, self._sequences)) > self._blocks.free:
            victim = greediest(self._sequences[1:])
            self._sequences.remove(victim)
            self._blocks.release(victim)
            preempted.append(victim)
        for sequence in self._sequences:
            self._blocks.extend(sequence, sequence.total_length)
        return preempted


def greediest(sequences: abc.Sequence[Sequence]) -> Sequence:
    """The sequence admitted last of the stream that holds the most blocks."""
    held: Counter[abc.Hashable] = Counter()
    for sequence in sequences:
        held[sequence.stream] += len(sequence.blocks)
    return max(sequences, key=lambda sequence: (held[sequence.stream], sequence.admission))
