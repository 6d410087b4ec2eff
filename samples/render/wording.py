"""What the samples say: typed values read from `samples/wording/*.toml`."""

from pathlib import Path
from typing import TypeVar

import msgspec

WORDING_ROOT = Path(__file__).parents[1] / "wording"
T = TypeVar("T")


class Clause(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A titled clause or section; an item that is TABLE or FIGURE stands for the table or figure."""

    title: str
    items: tuple[str, ...]


def read(name: str, form: type[T]) -> T:
    """The wording of one document."""
    return msgspec.toml.decode((WORDING_ROOT / f"{name}.toml").read_bytes(), type=form)
