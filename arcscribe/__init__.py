"""Arcscribe turns documents into Markdown: a layout stage, a VLM stage, and an orchestrator in front of them.

from arcscribe import Client

with Client("localhost:50060") as client:
    print(client.parse("contract.pdf").markdown)
"""

# Not from typing, which would take more time to load than all else that comes before Ctrl-C is looked after.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from arcscribe.async_client import AsyncClient, Parsed
    from arcscribe.client import Client
    from arcscribe.document import MarkdownOptions, PictureMode, TableFormat
    from arcscribe.events import ParseOptions
    from arcscribe.rpc.credentials import Tls

__all__ = [
    "AsyncClient",
    "Client",
    "MarkdownOptions",
    "ParseOptions",
    "Parsed",
    "PictureMode",
    "TableFormat",
    "Tls",
]

_HOMES = {
    "AsyncClient": "arcscribe.async_client",
    "Client": "arcscribe.client",
    "MarkdownOptions": "arcscribe.document",
    "ParseOptions": "arcscribe.events",
    "Parsed": "arcscribe.async_client",
    "PictureMode": "arcscribe.document",
    "TableFormat": "arcscribe.document",
    "Tls": "arcscribe.rpc.credentials",
}


def __getattr__(name: str) -> "Any":
    # Every stage imports this package; none of them should pay for the client.
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415

    return getattr(import_module(_HOMES[name]), name)
