"""What a stream of the VLM stage has to tell its caller."""

import asyncio

from vlm_stage.engines.engine import EngineOutput


class Outbox:
    """Of each crop the newest, in the order in which there was something to tell.

    A caller that is slow misses partial texts, which newer ones and the answer replace, and misses no answer.
    For the event loop alone.
    """

    def __init__(self) -> None:
        self._order: asyncio.Queue[int | None] = asyncio.Queue()
        self._newest: dict[int, EngineOutput] = {}

    def put(self, crop_id: int, output: EngineOutput) -> None:
        """Adds what is told of a crop; after its answer there must be no more."""
        if crop_id not in self._newest:
            self._order.put_nowait(crop_id)
        self._newest[crop_id] = output

    def mark(self) -> None:
        """Lets `take` give None once, after what is in it now."""
        self._order.put_nowait(None)

    async def take(self) -> tuple[int, EngineOutput] | None:
        """The next crop's id, and what is told of it; waits until there is something."""
        crop_id = await self._order.get()
        return None if crop_id is None else (crop_id, self._newest.pop(crop_id))

    def is_empty(self) -> bool:
        """Whether nothing waits to be told."""
        return not self._newest
