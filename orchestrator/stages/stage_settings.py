"""Where a stage is, as the orchestrator's TOML file says it."""

from typing import Annotated

import msgspec

from arcscribe.rpc.credentials import Tls

DNS = "dns:///"

Seconds = Annotated[float, msgspec.Meta(gt=0)]
Address = Annotated[str, msgspec.Meta(min_length=1)]
Addresses = Address | Annotated[tuple[Address, ...], msgspec.Meta(min_length=1)]


class StageSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where the processes of one stage are, and how long they are waited for."""

    address: Addresses
    """`host:port`, `unix:PATH`, several of them, or `dns:///name:port` for all that the name stands for."""
    timeout_seconds: Seconds = 600.0
    """How long a page may take the stage."""
    wait_seconds: Seconds = 60.0
    """How long no process of the stage may be there before a document fails."""
    silent_seconds: Seconds = 15.0
    """How long one may leave a health check unanswered before others get its work."""

    tls: Tls | None = None
    token_file: str = ""
    """A file that holds the token for the stage's processes."""
    token_without_tls: bool = False
    """Whether the token may go over a network in plain text."""

    @property
    def may_change(self) -> bool:
        """Whether names may stand for others, or files be replaced, while the orchestrator runs."""
        has_names = any(address.startswith(DNS) for address in self.addresses)
        return has_names or self.tls is not None or bool(self.token_file)

    @property
    def addresses(self) -> tuple[str, ...]:
        """One or more, as they are written."""
        return (self.address,) if isinstance(self.address, str) else self.address
