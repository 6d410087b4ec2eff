"""TLS of a server, whose certificate is read again when its files change.

gRPC asks for the certificate before each handshake, in threads of its own.
Connections that stand keep theirs.
"""

from pathlib import Path
from typing import Annotated

import grpc
import msgspec
import structlog

from arcscribe.errors import InvalidConfig
from arcscribe.rpc.pem import KeyPair, read_authorities, read_pair

log = structlog.get_logger()

File = Annotated[str, msgspec.Meta(min_length=1)]


class ServerTls(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Files in PEM. With `client_ca` callers need a certificate of it as well, which is mutual TLS."""

    certificate: File
    """With the certificates between it and its CA, if there are any, after it."""
    key: File
    """Not encrypted."""
    client_ca: str = ""
    health_listen: str = ""
    """A plain-text address that answers health checks alone: Kubernetes' probes speak no TLS."""


class ServerCertificate:
    """What a server shows, and whom it lets in: as its files say, or said when they were last right."""

    def __init__(self, tls: ServerTls) -> None:
        """Reads the files.

        Raises:
            InvalidConfig: one is absent, or is not what it must be.
        """
        self._tls = tls
        self._stamps = _stamps(tls)
        self._held = _read(tls)

    def credentials(self) -> grpc.ServerCredentials:
        """For a server's port."""
        return grpc.dynamic_ssl_server_credentials(
            _configuration(*self._held),
            self.changed,  # type: ignore[arg-type]  # the stubs do not know that it may give None
            require_client_authentication=bool(self._tls.client_ca),
        )

    def changed(self) -> grpc.ServerCertificateConfiguration | None:
        """The new one, where the files have changed and can be used; what is wrong is logged once."""
        stamps = _stamps(self._tls)
        if stamps == self._stamps:
            return None
        self._stamps = stamps
        try:
            read = _read(self._tls)
        except InvalidConfig as error:
            log.error("certificate not reloaded", message=error.message)  # noqa: TRY400  # one line
            return None
        if read == self._held:
            return None
        self._held = read
        log.info("certificate reloaded", certificate=self._tls.certificate)
        return _configuration(*read)


def _stamps(tls: ServerTls) -> tuple[tuple[int, int, int], ...]:
    """What differs when a file, or a link on the way to it, is another."""
    return tuple(_stamp(Path(file)) for file in (tls.certificate, tls.key, tls.client_ca) if file)


def _stamp(path: Path) -> tuple[int, int, int]:
    try:
        status = path.stat()
    except (OSError, ValueError):
        return 0, 0, 0
    return status.st_ino, status.st_size, status.st_mtime_ns


def _read(tls: ServerTls) -> tuple[KeyPair, bytes | None]:
    pair = read_pair(tls.certificate, tls.key)
    return pair, read_authorities(tls.client_ca) if tls.client_ca else None


def _configuration(pair: KeyPair, client_ca: bytes | None) -> grpc.ServerCertificateConfiguration:
    return grpc.ssl_server_certificate_configuration([(pair.key, pair.certificate)], client_ca)
