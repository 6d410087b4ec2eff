"""Places for tasks of an event loop, which those for whom they work take in turn."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import count

from arcscribe.fair_queue import FairQueue


@dataclass(slots=True, eq=False)
class _Waiter:
    id: int
    stream: Hashable
    called: "asyncio.Future[None]"
    has_place: bool = False


class Turns:
    """So many places: who has one piece of work waits for one of each other, however many those have.

    With `one_each`, who has no place gets one at once, even if that is one more than there are.
    """

    def __init__(self, places: int, *, one_each: bool = False) -> None:
        self._places, self._one_each = places, one_each
        self._ids = count()
        self._taken: Counter[Hashable] = Counter()
        self._waiting: FairQueue[_Waiter] = FairQueue()

    @property
    def taken(self) -> int:
        """How many places are taken."""
        return self._taken.total()

    @property
    def waiting(self) -> int:
        """How many tasks wait for one."""
        return len(self._waiting)

    @asynccontextmanager
    async def place(self, of: Hashable) -> AsyncIterator[None]:
        """A place for as long as the context lasts; who is cancelled while it waits leaves the line."""
        await self.take(of)
        try:
            yield
        finally:
            self.give_back(of)

    async def take(self, of: Hashable) -> None:
        """Waits for a place; it is to be given back."""
        waiter = _Waiter(next(self._ids), of, asyncio.get_running_loop().create_future())
        self._waiting.add(waiter)
        self._call()
        try:
            await waiter.called
        except asyncio.CancelledError:
            if waiter.has_place:
                self.give_back(of)
            else:
                self._waiting.remove(waiter)
            raise

    def give_back(self, of: Hashable) -> None:
        """Gives a place to who is next."""
        self._taken[of] -= 1
        self._taken += Counter()  # forgets who has none
        self._call()

    def _call(self) -> None:
        while (waiter := self._next()) is not None:
            self._waiting.take(waiter.stream)
            self._taken[waiter.stream] += 1
            waiter.has_place = True
            if not waiter.called.done():  # else its task is being cancelled, and gives the place back
                waiter.called.set_result(None)

    def _next(self) -> _Waiter | None:
        """Who may have a place now."""
        if self.taken < self._places:
            return self._waiting.first()
        without = (of for of in self._waiting.streams() if not self._taken[of]) if self._one_each else ()
        return next(map(self._waiting.first, without), None)
