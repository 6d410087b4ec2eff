"""The KV cache's blocks: which are free, and which belong to a sequence."""

from collections.abc import Iterable

from vlm_stage.engines.paddleocr_vl.scheduling.sequence import Sequence


class KvBlocks:
    """Blocks 0 to `count` - 1, each with room for the keys and values of `size` positions."""

    def __init__(self, count: int, size: int) -> None:
        self._size = size
        self._free = list(range(count - 1, -1, -1))
        self._used: set[int] = set()

    @property
    def free(self) -> int:
        return len(self._free)

    @property
    def used(self) -> int:
        return len(self._used)

    def room(self, sequence: Sequence) -> int:
        """The positions that it could have at most, with all the blocks that are free."""
        return (len(sequence.blocks) + self.free) * self._size

    def missing(self, sequence: Sequence) -> int:
        """How many blocks it lacks for the tokens known of it."""
        return self._needed(sequence.total_length) - len(sequence.blocks)

    def extend(self, sequence: Sequence, positions: int) -> None:
        """Gives it the blocks that it lacks for so many positions, those released last first."""
        count = max(0, self._needed(positions) - len(sequence.blocks))
        assert count <= self.free, f"{count} blocks wanted, {self.free} free"
        taken = [self._free.pop() for _ in range(count)]
        self._used.update(taken)
        sequence.blocks += taken

    def trim(self, sequence: Sequence) -> None:
        """Takes the blocks away that it does not need for the tokens known of it."""
        kept = self._needed(sequence.total_length)
        self._release(sequence.blocks[kept:])
        del sequence.blocks[kept:]

    def release(self, sequence: Sequence) -> None:
        """Takes all its blocks away, and what was computed with them."""
        self._release(sequence.blocks)
        sequence.blocks = []
        sequence.computed = 0

    def _needed(self, positions: int) -> int:
        return -(-positions // self._size)

    def _release(self, blocks: Iterable[int]) -> None:
        for block in blocks:
            self._used.remove(block)  # KeyError, before one block is given to two and mixes their texts
            self._free.append(block)
