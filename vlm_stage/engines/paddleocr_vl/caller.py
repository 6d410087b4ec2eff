"""Whom to tell of a crop, and when there is no more to tell."""

import threading

import structlog

from arcscribe.rpc.logs import current_request_id
from arcscribe.types import PartialText
from vlm_stage.engines.engine import Deliver, EngineOutput

_log = structlog.get_logger()


class Caller:
    """Hears any number of partial texts and one answer, which is the last; threads may race to tell it."""

    def __init__(self, deliver: Deliver) -> None:
        self._deliver = deliver
        self._request_id = current_request_id()
        self._telling = threading.Lock()
        self._ended = False

    def tell(self, output: EngineOutput) -> None:
        """Passes it on, unless there was an answer; one at a time, so that no partial text comes after it."""
        with self._telling:
            if self._ended:
                return
            if not isinstance(output, PartialText):
                self._ended = True
            try:
                self._deliver(output)
            except Exception:  # the caller's; those of others go on
                _log.exception("a caller could not be told of a crop", request_id=self._request_id)

    def leave(self) -> None:
        """Nothing is told from now on but what is on its way; waits for nobody."""
        self._ended = True
