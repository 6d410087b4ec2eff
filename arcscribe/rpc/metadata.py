"""What goes with every call from one process to another."""

from arcscribe.rpc.logs import REQUEST_ID_KEY, current_request_id
from arcscribe.rpc.traces import current_span


def outgoing_metadata() -> tuple[tuple[str, str], ...]:
    """The request id, for the logs of whoever is called, and the span in work, where there is one."""
    return ((REQUEST_ID_KEY, current_request_id()), *current_span().metadata())
