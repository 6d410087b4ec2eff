"""The sequences that hold no KV blocks, in the order in which they are to be admitted."""

from bisect import insort
from collections import OrderedDict
from collections.abc import Hashable
from operator import attrgetter

from vlm_stage.engines.paddleocr_vl.sequence import Sequence


class WaitingLine:
    """First those that were preempted, the one admitted first at the front; then one of each stream in turn.

    So a stream with one crop waits for one of each other stream, however many those have.
    """

    def __init__(self) -> None:
        self._preempted: list[Sequence] = []
        self._streams: OrderedDict[Hashable, OrderedDict[int, Sequence]] = OrderedDict()
        self._count = 0
        self._admissions = 0

    def __len__(self) -> int:
        return self._count

    def add(self, sequence: Sequence) -> None:
        """Puts a new sequence behind the others of its stream; a stream that had none comes last."""
        self._streams.setdefault(sequence.stream, OrderedDict())[sequence.id] = sequence
        self._count += 1

    def put_back(self, sequence: Sequence) -> None:
        """Puts a sequence back that was taken."""
        insort(self._preempted, sequence, key=attrgetter("admission"))
        self._count += 1

    def first(self) -> Sequence | None:
        """The next one to be admitted, which stays in the line."""
        if self._preempted:
            return self._preempted[0]
        return next((next(iter(stream.values())) for stream in self._streams.values()), None)

    def take_first(self) -> None:
        """Takes that one out; if it is new, it gets its number, and the next one of its stream comes last."""
        sequence = self.first()
        assert sequence is not None, "nothing waits"
        self.remove(sequence)
        if not sequence.admission:
            self._admissions += 1
            sequence.admission = self._admissions
            if sequence.stream in self._streams:
                self._streams.move_to_end(sequence.stream)

    def remove(self, sequence: Sequence) -> None:
        """Takes out any one; its stream keeps its turn."""
        self._count -= 1
        if sequence.admission:
            self._preempted.remove(sequence)
            return
        stream = self._streams[sequence.stream]
        del stream[sequence.id]
        if not stream:
            del self._streams[sequence.stream]
