"""A queue of the items of several streams, which are taken one of each stream in turn."""

from collections import OrderedDict
from collections.abc import Hashable, Iterator
from typing import Generic, Protocol, TypeVar


class OfStream(Protocol):
    """Something with a number, unique among all, and the stream that it belongs to."""

    @property
    def id(self) -> int: ...

    @property
    def stream(self) -> Hashable: ...


T = TypeVar("T", bound=OfStream)

_ANY = object()


class FairQueue(Generic[T]):
    """One of each stream in turn, so that a stream with one waits for one of each other, however many those
    have."""

    def __init__(self) -> None:
        self._streams: OrderedDict[Hashable, OrderedDict[int, T]] = OrderedDict()
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def add(self, item: T) -> None:
        """Puts an item behind the others of its stream; a stream that had none comes last."""
        self._streams.setdefault(item.stream, OrderedDict())[item.id] = item
        self._count += 1

    def holds(self, item: T) -> bool:
        """Whether it was added, and neither taken nor removed."""
        return item.id in self._streams.get(item.stream, ())

    def streams(self) -> Iterator[Hashable]:
        """The streams of which something waits, in the order of their turns."""
        return iter(self._streams)

    def first(self, stream: Hashable = _ANY) -> T | None:
        """The next one to be taken, of all or of one stream; it stays."""
        if stream is _ANY:
            stream = next(iter(self._streams), _ANY)
        return next(iter(self._streams.get(stream, {}).values()), None)

    def take(self, stream: Hashable = _ANY) -> T:
        """Takes that one out; the next one of its stream comes last."""
        item = self.first(stream)
        assert item is not None, "nothing waits"
        self.remove(item)
        if item.stream in self._streams:
            self._streams.move_to_end(item.stream)
        return item

    def remove(self, item: T) -> None:
        """Takes out any one; its stream keeps its turn."""
        items = self._streams[item.stream]
        del items[item.id]
        self._count -= 1
        if not items:
            del self._streams[item.stream]
