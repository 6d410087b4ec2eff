"""The draft stage, seen from the orchestrator: a VLM stage whose texts are drafts for another one."""

import time
from collections.abc import AsyncGenerator, AsyncIterator, Sequence

import grpc
import msgspec

from arcscribe.convert.recognition import crop_to_message
from arcscribe.errors import ArcscribeError, StageUnavailable
from arcscribe.rpc.status import from_rpc_error
from arcscribe.types import Crop
from arcscribe.v1 import vlm_pb2, vlm_pb2_grpc
from orchestrator.stages.channel import StageChannel, StageSettings, call_metadata

REST_SECONDS = 30.0
"""How long a stage that failed is not asked: every page would wait for it in vain."""


class DraftSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where the draft stage is, and how long a page waits for its drafts."""

    address: str = "127.0.0.1:50063"
    timeout_seconds: float = 20.0
    wait_seconds: float = 2.0


class DraftStage:
    """The draft stage, as a function from crops to texts that may be what they say."""

    def __init__(self, settings: DraftSettings) -> None:
        own = StageSettings(settings.address, settings.timeout_seconds, settings.wait_seconds)
        self._stage = StageChannel("draft", own)
        self._stub = vlm_pb2_grpc.RegionRecognizerStub(self._stage.channel)
        self._rests_until = 0.0

    async def read(self, crops: Sequence[Crop]) -> AsyncGenerator[tuple[int, str], None]:
        """The id and the text of each crop that could be read, as they come; nothing is asked twice.

        Raises:
            StageUnavailable: the stage cannot be reached, or could not be a moment ago.
            ArcscribeError: it failed in the middle, or took longer than `timeout_seconds`.
        """
        if time.monotonic() < self._rests_until:
            raise StageUnavailable("the draft stage failed a moment ago")
        try:
            async with self._stage.call(alone=False):
                call = self._stub.Recognize(
                    _messages(crops), timeout=self._stage.settings.timeout_seconds, metadata=call_metadata()
                )
                try:
                    async for response in call:
                        if response.text.format == vlm_pb2.TEXT_FORMAT_PLAIN:
                            yield response.id, response.text.text
                except grpc.aio.AioRpcError as error:
                    raise from_rpc_error(error) from None
                finally:
                    call.cancel()
        except ArcscribeError:
            self._rests_until = time.monotonic() + REST_SECONDS
            raise

    async def close(self) -> None:
        await self._stage.close()


async def _messages(crops: Sequence[Crop]) -> AsyncIterator[vlm_pb2.RecognizeRequest]:
    for crop in crops:
        yield crop_to_message(crop)
