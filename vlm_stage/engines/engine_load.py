"""What an engine has to do and has done, for metrics."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EngineLoad:
    """An engine at one device; counts are since it was loaded.

    `batches[n]` is how many inferences had n crops (with PP-OCR: lines); those with more than the last index
    are counted there. Engines without a KV cache have no blocks.
    """

    device: str
    waiting: int
    in_work: int
    batches: Sequence[int] = ()
    kv_blocks: int = 0
    kv_blocks_used: int = 0
    preemptions: int = 0


class BatchCounts:
    """How many batches of each size there were. One thread adds at a time; any may read."""

    def __init__(self, largest: int) -> None:
        self.by_size = [0] * (largest + 1)

    def add(self, size: int) -> None:
        """Counts one."""
        self.by_size[min(size, len(self.by_size) - 1)] += 1
