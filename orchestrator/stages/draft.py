"""The draft stage, seen from the orchestrator: a VLM stage whose texts are drafts for another one."""

import time
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing

from arcscribe.convert.recognition import crop_to_message
from arcscribe.errors import ArcscribeError, StageUnavailable
from arcscribe.rpc.deadline import time_left
from arcscribe.rpc.status import CALL_ERRORS
from arcscribe.types import Crop
from arcscribe.v1 import vlm_pb2, vlm_pb2_grpc
from orchestrator.stages.calls import call_metadata, stage_error
from orchestrator.stages.member import BrokeOff, StageMember
from orchestrator.stages.pool import StagePool
from orchestrator.stages.stage_settings import Addresses, Seconds, StageSettings

REST_SECONDS = 30.0
"""How long a stage that failed is not asked: every page would wait for it in vain."""


class DraftSettings(StageSettings, frozen=True, forbid_unknown_fields=True):
    """Where the draft stage is, and how long a page waits for its drafts, which it can do without."""

    address: Addresses = "127.0.0.1:50063"
    timeout_seconds: Seconds = 20.0
    wait_seconds: Seconds = 2.0


class DraftStage:
    """The draft stage, as a function from crops to texts that may be what they say."""

    def __init__(self, settings: DraftSettings) -> None:
        self.pool = StagePool("draft", settings)
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
            async with (
                self.pool.call() as member,
                aclosing(self._responses(member, crops)) as responses,
            ):
                async for response in responses:
                    if response.text.format == vlm_pb2.TEXT_FORMAT_PLAIN:
                        yield response.id, response.text.text
        except ArcscribeError:
            self._rests_until = time.monotonic() + REST_SECONDS
            raise

    async def _responses(
        self, member: StageMember, crops: Sequence[Crop]
    ) -> AsyncGenerator[vlm_pb2.RecognizeResponse, None]:
        call = vlm_pb2_grpc.RegionRecognizerStub(member.channel).Recognize(
            _messages(crops),
            timeout=time_left(self.pool.settings.timeout_seconds),
            metadata=call_metadata(member.credentials),
        )
        try:
            with member.in_work(call):
                async for response in call:
                    yield response
        except CALL_ERRORS as error:
            raise stage_error(error) from None
        except BrokeOff as error:
            raise StageUnavailable(f"the draft stage broke off: {error}") from None

    async def close(self) -> None:
        await self.pool.close()


async def _messages(crops: Sequence[Crop]) -> AsyncIterator[vlm_pb2.RecognizeRequest]:
    for crop in crops:
        yield crop_to_message(crop)
