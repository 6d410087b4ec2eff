"""What a pull reports while it works."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Note:
    """A step that takes a while, in a few words."""

    text: str


@dataclass(frozen=True, slots=True)
class Progress:
    """How much of a file is there; `total` is 0 where the size is unknown. Both are bytes."""

    model: str
    file: str
    done: int
    total: int


OnEvent = Callable[[Note | Progress], None]


def ignore(_event: Note | Progress) -> None:
    """For callers who do not want to know."""
