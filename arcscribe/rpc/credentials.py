"""What a client shows and demands: a certificate, an authority, a token."""

from dataclasses import dataclass, field
from pathlib import Path

import grpc
import msgspec

from arcscribe.errors import InvalidConfig, InvalidOption
from arcscribe.rpc.addresses import is_local, is_socket
from arcscribe.rpc.pem import KeyPair, read_authorities, read_pair


class Tls(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Files in PEM: the authority that a server's certificate must come from, and our own for mutual TLS."""

    ca: str = ""
    """Empty: those that gRPC knows, which are the public ones."""
    certificate: str = ""
    key: str = ""
    server_name: str = ""
    """What the server's certificate is for, where that is not the host of the address."""


@dataclass(frozen=True, slots=True)
class Credentials:
    """Read from their files; equal when nothing in them has changed. A Unix socket has no TLS."""

    is_encrypted: bool = False
    ca: bytes | None = None
    own: KeyPair | None = None
    server_name: str = ""
    token: str = field(default="", repr=False)

    def for_channel(self, address: str) -> grpc.ChannelCredentials | None:
        """None for plain text."""
        if not self.is_encrypted or is_socket(address):
            return None
        own = (self.own.key, self.own.certificate) if self.own else (None, None)
        return grpc.ssl_channel_credentials(self.ca, *own)


PLAIN = Credentials()


def read_credentials(tls: Tls | None, token: str = "") -> Credentials:
    """What the files hold now.

    Raises:
        InvalidConfig: a file is absent, or is not what it must be.
    """
    if tls is None:
        return Credentials(token=token)
    if bool(tls.certificate) != bool(tls.key):
        raise InvalidConfig("a client's certificate needs its key, and a key its certificate")
    return Credentials(
        is_encrypted=True,
        ca=read_authorities(tls.ca) if tls.ca else None,
        own=read_pair(tls.certificate, tls.key) if tls.certificate else None,
        server_name=tls.server_name,
        token=token,
    )


def read_token(path: str | Path) -> str:
    """The token in a file, whose ends may hold blanks and line ends.

    Raises:
        InvalidConfig: the file is absent, or holds no token.
    """
    try:
        text = Path(path).read_text(encoding="ascii")
    except (OSError, ValueError) as error:
        raise InvalidConfig(f"{path}: {getattr(error, 'strerror', '') or 'holds no token'}") from None
    return checked_token(text.strip(), str(path))


def checked_token(token: str, where: str) -> str:
    """The token.

    Raises:
        InvalidConfig: it cannot be one; it is not told what it is.
    """
    if not token or not token.isascii() or not token.isprintable() or " " in token:
        raise InvalidConfig(f"{where} holds no token: one word of ASCII")
    return token


def refuse_to_tell(address: str, credentials: Credentials) -> None:
    """Refuses to send a token where others can read it.

    Raises:
        InvalidOption: it would go over a network in plain text.
    """
    if credentials.token and not credentials.is_encrypted and not is_local(address):
        raise InvalidOption(
            f"a token would go to {address} in plain text: use TLS, or say that plain text may carry it",
            field="token",
        )
