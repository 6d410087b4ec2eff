"""Crops on their way to the VLM stage, each when its draft is known."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace

from arcscribe.types import Crop


async def drafted(crops: Sequence[Crop], drafts: Mapping[int, asyncio.Future[str]]) -> AsyncIterator[Crop]:
    """The crops that wait for no draft, and then the others, in the order in which their drafts are known.

    Args:
        crops: of one call.
        drafts: by the ids of the crops that have one to wait for.
    """
    for crop in crops:
        if crop.id not in drafts:
            yield crop
    waiting = {drafts[crop.id]: crop for crop in crops if crop.id in drafts}
    while waiting:
        known, _ = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        for draft in [draft for draft in waiting if draft in known]:
            yield replace(waiting.pop(draft), draft=draft.result())
