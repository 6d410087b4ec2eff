"""Whose turn it is to be admitted, as fairness has it."""

from collections import Counter, defaultdict
from collections.abc import Hashable


class FairnessWatch:
    """Notes who waits, and who was admitted in which order; no stream may wait for two turns of another."""

    def __init__(self) -> None:
        self.admitted: list[int] = []
        self._waiting: dict[Hashable, list[int]] = {}
        self._overtaken: defaultdict[Hashable, Counter[Hashable]] = defaultdict(Counter)

    def wait(self, number: int, stream: Hashable) -> None:
        self._waiting.setdefault(stream, []).append(number)

    def leave(self, number: int, stream: Hashable) -> None:
        """One that is cancelled."""
        if number not in self.admitted:
            self._remove(number, stream)

    def admit(self, number: int, stream: Hashable) -> None:
        assert self._waiting[stream][0] == number, "overtaken within a stream"
        self._remove(number, stream)
        self.admitted.append(number)
        self._overtaken.pop(stream, None)
        for other in self._waiting.keys() - {stream}:
            self._overtaken[other][stream] += 1
            assert self._overtaken[other][stream] == 1, "a stream waited for two turns of another"

    def _remove(self, number: int, stream: Hashable) -> None:
        self._waiting[stream].remove(number)
        if not self._waiting[stream]:
            del self._waiting[stream]
            self._overtaken.pop(stream, None)
