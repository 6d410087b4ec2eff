"""Who may call a server, and who can read what is said."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import structlog

from arcscribe.rpc.addresses import is_local
from arcscribe.rpc.interceptor import CallInterceptor
from arcscribe.rpc.server_tls import ServerCertificate, ServerTls
from arcscribe.rpc.token_interceptor import TokenInterceptor
from arcscribe.rpc.tokens import Token, check_tokens

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Access:
    """Plain text without TLS, and everybody without tokens."""

    tls: ServerTls | None = None
    tokens: Sequence[Token] = ()

    def certificate(self) -> ServerCertificate | None:
        """What the server shows.

        Raises:
            InvalidConfig: its files cannot be used.
        """
        return ServerCertificate(self.tls) if self.tls else None

    def interceptors(self) -> list[Any]:
        """What stands round every call, the outermost first.

        Raises:
            InvalidConfig: two tokens cannot be told apart.
        """
        check_tokens(self.tokens)
        return [CallInterceptor(), *([TokenInterceptor(self.tokens)] if self.tokens else ())]

    def warn(self, address: str) -> None:
        """Says once where documents of others, and work for others, are anybody's."""
        if not self.tls and not self.tokens and not is_local(address):
            log.warning(
                "open to the network", address=address, message="no [tls], no [[tokens]]: anybody may call"
            )


OPEN = Access()
