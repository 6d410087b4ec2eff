"""The numbers of messages into the items of enumerations."""

from collections.abc import Mapping
from enum import StrEnum
from typing import TypeVar

from arcscribe.errors import InvalidOption

EnumT = TypeVar("EnumT", bound=StrEnum)


def item_of(numbers: Mapping[EnumT, int], number: int, field: str) -> EnumT:
    """The item that a message's number stands for.

    Raises:
        InvalidOption: it stands for none, `field` being where it was.
    """
    for item, value in numbers.items():
        if value == number:
            return item
    raise InvalidOption(f"{field} has no value {number}", field=field)
