"""Whether a piece of work is what processes die of, or only happened to be there."""

import time
from collections import deque

UNREST_SECONDS = 30.0
"""How long a death counts as a sign that processes die by themselves."""

SURE, MOST = 2, 4
"""How many deaths make a piece of work the cause of them, in calm and however restless it is."""


class Unrest:
    """The deaths of like processes of late."""

    def __init__(self) -> None:
        self._deaths: deque[float] = deque()

    def died(self) -> None:
        """Counts one death, whatever its cause."""
        self._deaths.append(time.monotonic())

    def is_to_blame(self, deaths: int) -> bool:
        """Whether work in which so many processes died is the cause.

        Two are enough, unless more have died of late than this work accounts for: then it may have been
        chance.
        """
        lately = time.monotonic() - UNREST_SECONDS
        while self._deaths and self._deaths[0] < lately:
            self._deaths.popleft()
        return deaths >= MOST or (deaths >= SURE and len(self._deaths) <= deaths)
