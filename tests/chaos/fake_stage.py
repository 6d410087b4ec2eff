"""A layout and VLM stage without a model, as a process: what it answers depends on the pixels alone.

`python -m tests.chaos.fake_stage --listen unix:PATH`. Regions are the bands of ink of a page, and the text of
a crop is a hash of its pixels, so that Markdown tells whether every pixel of a document was read, once, in
order. A crop that is red all over kills the process.
"""

import asyncio
import hashlib
import os
import signal
import sys
from collections.abc import AsyncIterator
from typing import Any

import msgspec
import numpy as np
import structlog

from arcscribe.convert.images import image_from_message
from arcscribe.convert.layout import layout_to_message
from arcscribe.convert.recognition import crop_from_message, result_to_message
from arcscribe.rpc.process import ProcessArguments, run_process
from arcscribe.rpc.server import Service, serve
from arcscribe.types import (
    Box,
    FinishReason,
    PageLayout,
    Region,
    RegionKind,
    RegionText,
    RgbImage,
    StageModel,
    TextFormat,
)
from arcscribe.v1 import layout_pb2, layout_pb2_grpc, vlm_pb2, vlm_pb2_grpc

_LETTERS = str.maketrans("0123456789", "ghijklmnop")
log = structlog.get_logger()

MODEL = StageModel("fake", "none", "CPU")


class FakeSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How long a page and a crop take, and whether each waits for those before it."""

    page_seconds: float = 0.02
    crop_seconds: float = 0.02
    one_at_a_time: bool = False
    grace_seconds: float = 5.0


class FakeStage(layout_pb2_grpc.LayoutAnalyzerServicer, vlm_pb2_grpc.RegionRecognizerServicer):
    """Both services."""

    def __init__(self, settings: FakeSettings) -> None:
        self._settings = settings
        self._places = asyncio.Semaphore(1 if settings.one_at_a_time else 1000)

    async def Analyze(  # noqa: N802
        self, request: layout_pb2.AnalyzeRequest, _context: Any
    ) -> layout_pb2.AnalyzeResponse:
        await self._work("page", self._settings.page_seconds)
        image = image_from_message(request.image)
        height, width = image.shape[:2]
        return layout_to_message(PageLayout(0, width, height, bands_of(image), MODEL, ()))

    async def Recognize(  # noqa: N802
        self, requests: AsyncIterator[vlm_pb2.RecognizeRequest], _context: Any
    ) -> AsyncIterator[vlm_pb2.RecognizeResponse]:
        async for request in requests:
            crop = crop_from_message(request)
            await self._work("crop", self._settings.crop_seconds)
            if is_poison(crop.pixels):
                os.kill(os.getpid(), signal.SIGKILL)
            yield result_to_message(crop.id, read(crop.pixels))

    async def _work(self, what: str, seconds: float) -> None:
        async with self._places:
            log.info("work", what=what)
            await asyncio.sleep(seconds)


def bands_of(image: RgbImage) -> tuple[Region, ...]:
    """The bands of rows with ink, from the top down; white rows part them."""
    inked = np.concatenate(([False], (image.min(axis=(1, 2)) < 128), [False]))
    edges = np.flatnonzero(inked[1:] != inked[:-1]).reshape(-1, 2)
    width = float(image.shape[1])
    return tuple(
        Region(number, RegionKind.TEXT, "text", 1.0, Box(0.0, float(top), width, float(bottom)))
        for number, (top, bottom) in enumerate(edges)
        if bottom - top >= 6
    )


def read(image: RgbImage) -> RegionText:
    """What the pixels say: a sentence of sixteen letters that no other pixels have."""
    letters = hashlib.sha256(image.tobytes()).hexdigest()[:16].translate(_LETTERS)
    return RegionText(
        f"{letters.capitalize()}.", TextFormat.PLAIN, FinishReason.STOP, MODEL.engine, MODEL.name, 0.0
    )


def is_poison(image: RgbImage) -> bool:
    """Whether most of the crop is red."""
    red = (image[..., 0] > 200) & (image[..., 1] < 60)
    return bool(red.mean() > 0.5)


async def run(arguments: ProcessArguments[FakeSettings]) -> None:
    stage = FakeStage(arguments.settings)

    def add_to(server: Any) -> None:
        layout_pb2_grpc.add_LayoutAnalyzerServicer_to_server(stage, server)
        vlm_pb2_grpc.add_RegionRecognizerServicer_to_server(stage, server)

    async def nothing() -> None:
        return

    await serve(
        Service("arcscribe.v1.RegionRecognizer", add_to, nothing, nothing),
        arguments.listen,
        grace_seconds=arguments.settings.grace_seconds,
        exit_with_parent=arguments.exit_with_parent,
    )


if __name__ == "__main__":
    sys.exit(run_process("fake_stage", FakeSettings, run))
