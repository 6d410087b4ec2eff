"""Who may have a document in work: so many documents, and so many of their bytes."""

from collections.abc import Iterator
from contextlib import contextmanager

from arcscribe.errors import QueueFull
from arcscribe.rpc.traces import span
from orchestrator.metrics import DOCUMENTS_IN_WORK, DOCUMENTS_LIMIT
from orchestrator.pages.limits import MIB

_RETRY_AFTER_MS = "1000"


class Place:
    """One document's place, and what it holds of the memory that is for the bytes of all."""

    def __init__(self, admission: "Admission") -> None:
        self._admission = admission
        self.held = 0

    def hold(self, size: int) -> None:
        """Counts so many bytes more.

        Raises:
            QueueFull: with them the bytes of all documents would be more than may be held.
        """
        self._admission.hold(size)
        self.held += size


class Admission:
    """So many documents at once, those that arrive included, with so many bytes in all."""

    def __init__(self, max_documents: int, max_bytes: int) -> None:
        self._max_documents, self._max_bytes = max_documents, max_bytes
        self.documents = 0
        self.held = 0
        """Bytes of the documents in work."""
        DOCUMENTS_LIMIT.set(max_documents)

    @contextmanager
    def place(self) -> Iterator[Place]:
        """A place for as long as the context lasts.

        Raises:
            QueueFull: all are taken.
        """
        if self.documents >= self._max_documents:
            raise QueueFull(f"{self.documents} documents are in work", retry_after_ms=_RETRY_AFTER_MS)
        self.documents += 1
        place = Place(self)
        try:
            with DOCUMENTS_IN_WORK.track_inprogress(), span("document"):
                yield place
        finally:
            self.documents -= 1
            self.held -= place.held

    def hold(self, size: int) -> None:
        """Counts so many bytes more. Raises QueueFull where they would be too many."""
        if self.held + size > self._max_bytes:
            held, most = self.held / MIB, self._max_bytes / MIB
            raise QueueFull(
                f"documents of {held:.0f} MiB are in work; the limit is {most:.0f} MiB",
                retry_after_ms=_RETRY_AFTER_MS,
            )
        self.held += size
