"""The client of a command: of a service that runs, or of processes that are started for it alone."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext

from arcscribe.async_client import AccessOptions
from arcscribe.client import Client
from arcscribe.tools.local_service import LocalService, LocalSettings

TIMEOUT_SECONDS = 3600.0
"""For a document; a batch that nobody waits for may take longer than a call of a service."""


@contextmanager
def connected_client(
    server: str,
    access: AccessOptions,
    settings: LocalSettings,
    timeout: float,
    *,
    verbose: bool,
    starting: AbstractContextManager[object] | None = None,
) -> Iterator[Client]:
    """A client of the server, or, without one, of processes with these settings, which end with it.

    Args:
        server: its address; empty for processes of our own.
        access: what is shown to a server.
        settings: for our own processes.
        timeout: seconds for a document.
        verbose: whether what our processes log is shown.
        starting: is entered while they start.
    """
    with ExitStack() as running:
        if not server:
            service = LocalService(settings, verbose=verbose)
            with starting or nullcontext():
                running.enter_context(service)
            server = service.address
        yield running.enter_context(Client(server, timeout_seconds=timeout, **access))
