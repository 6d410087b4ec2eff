"""What the stage uses of paddlex: imported when the engine `paddlex` is chosen, and never before."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import structlog

from arcscribe.errors import InvalidConfig

_log = structlog.get_logger()


def predictor_maker() -> Any:
    """paddlex's `create_predictor`; raises InvalidConfig where there is no paddlex."""
    with _needed():
        from paddlex.inference import create_predictor  # noqa: PLC0415
    return create_predictor


def layout_parsing_pipeline() -> Any:
    """The class behind PP-StructureV3; raises InvalidConfig where there is no paddlex."""
    with _needed():
        from paddlex.inference.pipelines.layout_parsing.pipeline_v2 import (  # noqa: PLC0415
            _LayoutParsingPipelineV2,
        )
    return _LayoutParsingPipelineV2


@contextmanager
def _needed() -> Iterator[None]:
    try:
        yield
    except ImportError as error:
        raise InvalidConfig(
            f'engine = "paddlex" cannot have paddlex here ({error}); it wants an environment of its own: '
            "pip install --require-hashes -r deploy/requirements-paddle.lock, then pip install --no-deps ."
        ) from error
    logger = logging.getLogger("paddlex")
    logger.handlers = [_ToOurLog(logging.WARNING)]  # in place of its own, which writes in colours


class _ToOurLog(logging.Handler):
    """What paddlex warns of, such as a hub that it cannot reach, as lines of the stage's log."""

    def emit(self, record: logging.LogRecord) -> None:
        _log.warning("paddlex says", message=record.getMessage())
