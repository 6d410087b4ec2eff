"""What all calls to stages have in common."""

from arcscribe.rpc.metadata import outgoing_metadata

PAUSE_SECONDS = 0.1
"""Before a page or crop is sent again."""


def call_metadata() -> tuple[tuple[str, str], ...]:
    """What goes with every call: the request id, for the logs of the stage, and the span in work."""
    return outgoing_metadata()
