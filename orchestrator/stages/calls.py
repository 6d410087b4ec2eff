"""What all calls to stages have in common."""

import grpc
import structlog

from arcscribe.errors import ArcscribeError, InferenceFailed, Unauthenticated
from arcscribe.rpc.credentials import Credentials
from arcscribe.rpc.metadata import outgoing_metadata
from arcscribe.rpc.status import from_rpc_error
from arcscribe.rpc.tokens import bearer

log = structlog.get_logger()

PAUSE_SECONDS = 0.1
"""Before a page or crop is sent again."""

FULL_SECONDS = 0.2
"""Before a stage without a place is called again, where it does not say when."""


def call_metadata(credentials: Credentials) -> tuple[tuple[str, str], ...]:
    """What goes with every call: the request id, for the stage's logs, the span in work, and our token."""
    return (*outgoing_metadata(), *bearer(credentials.token))


def stage_error(rpc_error: grpc.aio.AioRpcError | grpc.aio.InternalError) -> ArcscribeError:
    """What went wrong; a token of ours that a stage refuses is our fault, and none of our own caller's."""
    error = from_rpc_error(rpc_error)
    if isinstance(error, Unauthenticated):
        log.error("stage refuses the token", message=error.message)
        return InferenceFailed("a stage refuses the orchestrator's token: see token_file")
    return error
