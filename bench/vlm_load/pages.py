"""Sending crops page by page on several streams, and seeing that each crop is answered exactly once."""

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from arcscribe.convert.recognition import result_from_message
from arcscribe.rpc.channel import open_channel
from arcscribe.types import PartialText, RegionFailure, RegionText
from arcscribe.v1 import vlm_pb2_grpc
from bench.vlm_load.sorts import PICTURE, TEXT, Asked, any_crop
from bench.vlm_load.source import Read, Source

PAGE_CROPS = (5, 25)
LEFT_PAGES = 0.15
"""The share of pages whose callers leave before all is answered."""
TIMEOUT_SECONDS = 300.0

LEFT, PARTIAL = "left unanswered", "partial texts"
TWICE, NEVER, OTHERWISE = "answered twice", "never answered", "answered otherwise"
FAULTS = (TWICE, NEVER, OTHERWISE)


class Page(NamedTuple):
    """Crops of one stream; its caller leaves when so much has been told, or never."""

    crops: Sequence[Asked]
    leaves_after: int | None = None


class Heard(NamedTuple):
    """What was told of the crop of that id."""

    id: int
    output: PartialText | RegionText | RegionFailure


def any_pages(source: Source, crops: int) -> Iterator[Page]:
    """So many crops of all sorts."""
    left = crops
    while left:
        size = min(left, source.random.randint(*PAGE_CROPS))
        left -= size
        leaves = source.random.random() < LEFT_PAGES
        yield Page([any_crop(source) for _ in range(size)], max(1, size // 2) if leaves else None)


async def send_pages(address: str, source: Source, pages: Iterator[Page], streams: int) -> Counter[str]:
    """Sends pages, on so many streams at once, each with a connection of its own and a page at a time.

    Returns:
        How many crops ended in which way, how many partial texts came, and how many of the `FAULTS`.
    """
    counts: Counter[str] = Counter()

    async def stream() -> None:
        async with open_channel(address) as channel:
            stub = vlm_pb2_grpc.RegionRecognizerStub(channel)
            for page in pages:
                call = stub.Recognize((asked.request for asked in page.crops), timeout=TIMEOUT_SECONDS)
                heard: list[Heard] = []
                async for response in call:
                    heard.append(Heard(response.id, result_from_message(response)))
                    if len(heard) == page.leaves_after:
                        call.cancel()
                        break
                counts.update(judge(page, heard))
                _remember(source, page, heard)

    await asyncio.gather(*(stream() for _ in range(streams)))
    return counts


def judge(page: Page, heard: Sequence[Heard]) -> Counter[str]:
    """What became of a page's crops: the ways in which they ended, partial texts, and faults."""
    counts: Counter[str] = Counter()
    answers: dict[int, RegionText | RegionFailure] = {}
    for crop_id, output in heard:
        if crop_id in answers:
            counts[TWICE] += 1
        elif isinstance(output, PartialText):
            counts[PARTIAL] += 1
        else:
            answers[crop_id] = output
    for asked in page.crops:
        answer = answers.pop(asked.crop.id, None)
        if answer is None:
            counts[NEVER if page.leaves_after is None else LEFT] += 1
        else:
            counts[_ending(answer)] += 1
            counts[OTHERWISE] += _sort(answer) != asked.expected
    counts[OTHERWISE] += len(answers)  # to what nobody asked
    return counts


def _sort(answer: RegionText | RegionFailure) -> str:
    """In the words of `Asked.expected`."""
    if isinstance(answer, RegionFailure):
        return answer.reason
    return TEXT if answer.prompt_tokens else PICTURE  # of which the model is not asked


def _ending(answer: RegionText | RegionFailure) -> str:
    """How a text ended, or that it was none."""
    sort = _sort(answer)
    return answer.finish_reason.value if isinstance(answer, RegionText) and sort == TEXT else sort


def _remember(source: Source, page: Page, heard: Sequence[Heard]) -> None:
    asked_of = {asked.crop.id: asked for asked in page.crops}
    for crop_id, output in heard:
        asked = asked_of[crop_id]
        if isinstance(output, RegionText) and asked.is_greedy and asked.expected == TEXT:
            source.remember(Read(asked.crop, output.text))
