"""What a crop that cannot be read is answered."""

from collections.abc import Iterator
from contextlib import contextmanager

import structlog

from arcscribe.errors import ArcscribeError, InferenceFailed
from arcscribe.rpc.status import OPAQUE_MESSAGE
from vlm_stage.engines.paddleocr_vl.crop_request import CropRequest

_log = structlog.get_logger()


def fail(request: CropRequest, error: BaseException) -> None:
    """Answers with a failure; what the caller can do nothing about is logged whole, and opaque to the
    caller."""
    if isinstance(error, ArcscribeError) and not isinstance(error, InferenceFailed):
        request.fail(error.reason, error.message)
        return
    _log.error(
        "crop failed",
        request_id=request.request_id,
        crop=request.crop.id,
        kind=request.crop.kind.value,
        exc_info=error,
    )
    request.fail(InferenceFailed.reason, OPAQUE_MESSAGE)


@contextmanager
def failing_alone(request: CropRequest) -> Iterator[None]:
    """What is raised inside fails for this crop only."""
    try:
        yield
    except Exception as error:
        fail(request, error)
