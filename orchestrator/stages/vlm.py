"""The VLM stage, seen from the orchestrator."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import aclosing
from types import MappingProxyType

import grpc
import structlog

from arcscribe.convert.recognition import crop_to_message, result_from_message
from arcscribe.errors import ArcscribeError, InferenceFailed, InvalidOption, StageTimeout
from arcscribe.rpc.status import from_rpc_error
from arcscribe.types import Crop, PartialText, RegionFailure, RegionText
from arcscribe.v1 import vlm_pb2, vlm_pb2_grpc
from orchestrator.stages.channel import ATTEMPTS, PAUSE_SECONDS, StageChannel, StageSettings, call_metadata
from orchestrator.stages.requests import drafted

log = structlog.get_logger()

RecognizedRegion = tuple[int, PartialText | RegionText | RegionFailure]
"""A crop's id, and what became of it, or is about to."""

Drafts = Mapping[int, "asyncio.Future[str]"]
"""By the ids of crops: what each may say, once that is known."""

NO_DRAFTS: Drafts = MappingProxyType({})


class VlmStage:
    """The VLM stage, as a function from crops to what they say."""

    def __init__(self, settings: StageSettings) -> None:
        self._stage = StageChannel("vlm", settings)
        self._stub = vlm_pb2_grpc.RegionRecognizerStub(self._stage.channel)

    async def recognize(
        self, crops: Sequence[Crop], drafts: Drafts = NO_DRAFTS
    ) -> AsyncGenerator[RecognizedRegion, None]:
        """What became of each crop, in the order in which that is known; exactly one result for each.

        Before its result may come any number of partial texts, where the crop's options ask for them. A crop
        that has a draft is sent with it, when it is known.

        What was not answered when the stage broke off is sent again, at last crop by crop, each alone: so a
        crop that breaks the stage fails alone.

        Raises:
            StageUnavailable: the stage cannot be reached.
        """
        waiting = {crop.id: crop for crop in crops}
        for attempt in range(1, ATTEMPTS + 1):
            alone = attempt == ATTEMPTS
            crops_of_calls = [[crop] for crop in waiting.values()] if alone else [list(waiting.values())]
            for sent in filter(None, crops_of_calls):
                async with aclosing(self._answers(sent, drafts, alone=alone)) as answers:
                    async for crop_id, result in answers:
                        if not isinstance(result, PartialText):
                            del waiting[crop_id]
                        yield crop_id, result
        for crop_id in waiting:
            yield crop_id, RegionFailure(InferenceFailed.reason, "the VLM stage broke off at this region")

    async def _answers(
        self, crops: Sequence[Crop], drafts: Drafts, *, alone: bool
    ) -> AsyncGenerator[RecognizedRegion, None]:
        """The results of one stream, at most one for each crop; it ends early where the stage breaks off."""
        unanswered = {crop.id for crop in crops}
        ended = asyncio.get_running_loop().create_future()
        async with self._stage.call(alone=alone):
            call = self._stub.Recognize(
                _messages(drafted(crops, drafts, ended)),
                timeout=self._stage.settings.timeout_seconds,
                metadata=call_metadata(),
            )
            try:
                async for response in call:
                    result = _result(response)
                    if response.id in unanswered:
                        if not isinstance(result, PartialText):
                            unanswered.remove(response.id)
                        yield response.id, result
            except grpc.aio.AioRpcError as rpc_error:
                error = from_rpc_error(rpc_error)
                log.warning("stage broke off", stage="vlm", reason=error.reason, unanswered=len(unanswered))
                if error.retryable:
                    await asyncio.sleep(PAUSE_SECONDS)
                    return
                for crop_id in unanswered:
                    yield crop_id, _failure(error)
            finally:
                ended.set_result(None)
                call.cancel()

    async def close(self) -> None:
        await self._stage.close()


async def _messages(crops: AsyncIterator[Crop]) -> AsyncIterator[vlm_pb2.RecognizeRequest]:
    async for crop in crops:
        yield crop_to_message(crop)


def _result(response: vlm_pb2.RecognizeResponse) -> PartialText | RegionText | RegionFailure:
    try:
        return result_from_message(response)
    except InvalidOption as error:
        return RegionFailure(InferenceFailed.reason, f"the VLM stage answered wrongly: {error.message}")


def _failure(error: ArcscribeError) -> RegionFailure:
    known = isinstance(error, StageTimeout)
    return RegionFailure(error.reason, "the VLM stage took too long" if known else "the VLM stage failed")
