"""What all calls to stages have in common."""

from arcscribe.rpc.logs import REQUEST_ID_KEY, current_request_id

PAUSE_SECONDS = 0.1
"""Before a page or crop is sent again."""


def call_metadata() -> tuple[tuple[str, str], ...]:
    """What goes with every call: the request id, for the logs of the stage."""
    return ((REQUEST_ID_KEY, current_request_id()),)
