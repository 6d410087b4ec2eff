"""Where in a draft the output stands, and what that is known from."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence
from enum import IntEnum

_TOKEN_REACH = 4
_PAIR_REACH = 8
_MISSES_BEFORE_JUMP = 3
"""In tokens. Tried on real text with OCR-like noise, where the speed-up hardly depends on any of them."""


class Footing(IntEnum):
    """Why the draft's next token is thought to be the output's next token, from the weakest reason on."""

    LOST = 0
    """The last two tokens or more were not the draft's: as many of the draft's were passed over."""
    GUESSED = 1
    """The last token was not the draft's, which may have it wrong; also at the start."""
    TOKEN_FOUND = 2
    """The output's last token is the draft's one before."""
    PAIR_FOUND = 3
    """The output's last two tokens are the draft's two before."""
    ALIGNED = 4
    """The output has run along with the draft."""

    def after_hit(self) -> "Footing":
        """What the footing is when the next token was the draft's."""
        return _AFTER_HIT[self]


_AFTER_HIT = (Footing.TOKEN_FOUND, Footing.ALIGNED, Footing.PAIR_FOUND, Footing.ALIGNED, Footing.ALIGNED)


class Alignment:
    """Follows an output token by token along a draft, and finds the place again after they differ.

    Places of tokens and of pairs of tokens are listed once; following one token costs a few look-ups and a
    bisection.
    """

    def __init__(self, draft: Sequence[int]) -> None:
        self.draft = tuple(draft)
        self.place = 0
        """Of the draft's token that is expected next; the draft's length if it has run out."""
        self.footing = Footing.GUESSED
        self._token_places: defaultdict[int, list[int]] = defaultdict(list)
        self._pair_places: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
        self._list_places()
        self._last_token = -1
        self._misses = 0
        self._missed_at = 0

    def _list_places(self) -> None:
        before = -1
        for place, token in enumerate(self.draft):
            self._token_places[token].append(place)
            self._pair_places[before, token].append(place)
            before = token

    def expects(self, token: int) -> bool:
        """Whether the draft says that this token is next."""
        return self.place < len(self.draft) and self.draft[self.place] == token

    def follow(self, token: int) -> None:
        """Takes the output's next token."""
        if self.expects(token):
            self.place += 1
            self.footing = self.footing.after_hit()
            if self.footing is Footing.ALIGNED:
                self._misses = 0
        else:
            self._realign(token)
        self._last_token = token

    def _realign(self, token: int) -> None:
        if not self._misses:
            self._missed_at = self.place
        self._misses += 1
        if (place := self._find_pair(token)) is not None:
            self.place, self.footing = place + 1, Footing.PAIR_FOUND
        elif (place := self._find_token(token)) is not None:
            self.place, self.footing = place + 1, Footing.TOKEN_FOUND
        else:
            self.place = min(self.place + 1, len(self.draft))
            self.footing = Footing.GUESSED if self._misses == 1 else Footing.LOST

    def _find_pair(self, token: int) -> int | None:
        """Where the last two tokens end in the draft: near by at first, anywhere when that has failed."""
        place = _nearest(self._pair_places.get((self._last_token, token)), self.place)
        if place is None or self._misses >= _MISSES_BEFORE_JUMP:
            return place
        return place if self._missed_at <= place <= self.place + _PAIR_REACH * self._misses else None

    def _find_token(self, token: int) -> int | None:
        place = _nearest(self._token_places.get(token), self.place)
        return place if place is not None and self._missed_at <= place <= self.place + _TOKEN_REACH else None


def _nearest(places: list[int] | None, wanted: int) -> int | None:
    """The one of rising `places` that is closest to the wanted one; the earlier of two."""
    if not places:
        return None
    after = bisect_left(places, wanted)
    around = places[max(after - 1, 0) : after + 1]
    return min(around, key=lambda place: abs(place - wanted))
