"""The sequences that hold no KV blocks, in the order in which they are to be admitted."""

from bisect import insort
from operator import attrgetter

from arcscribe.fair_queue import FairQueue
from vlm_stage.engines.paddleocr_vl.scheduling.sequence import Sequence


class WaitingQueue:
    """First those that were preempted, the one admitted first at the front; then one of each stream in turn.

    So a stream with one crop waits for one of each other stream, however many those have.
    """

    def __init__(self) -> None:
        self._preempted: list[Sequence] = []
        self._new: FairQueue[Sequence] = FairQueue()
        self._admissions = 0

    def __len__(self) -> int:
        return len(self._preempted) + len(self._new)

    def add(self, sequence: Sequence) -> None:
        """Puts a new sequence behind the others of its stream; a stream that had none comes last."""
        self._new.add(sequence)

    def put_back(self, sequence: Sequence) -> None:
        """Puts a sequence back that was taken."""
        insort(self._preempted, sequence, key=attrgetter("admission"))

    def first(self) -> Sequence | None:
        """The next one to be admitted, which stays in the line."""
        return self._preempted[0] if self._preempted else self._new.first()

    def take_first(self) -> None:
        """Takes that one out; if it is new, it gets its number."""
        if self._preempted:
            del self._preempted[0]
            return
        self._admissions += 1
        self._new.take().admission = self._admissions

    def remove(self, sequence: Sequence) -> None:
        """Takes out any one; its stream keeps its turn."""
        if sequence.admission:
            self._preempted.remove(sequence)
        else:
            self._new.remove(sequence)
