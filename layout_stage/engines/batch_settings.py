"""What a configuration may say about pages that are analysed at once."""

from typing import Annotated

import msgspec


class BatchSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How many pages are analysed at once, and how long the layout network waits to run them together."""

    pages: Annotated[int, msgspec.Meta(ge=1, le=64)] = 1
    wait_ms: Annotated[float, msgspec.Meta(ge=0, le=10_000)] = 5.0
