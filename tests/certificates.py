"""Certificates of a CA that lives as long as a test run, and a fresh one for each who asks."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import trustme

from arcscribe.rpc.credentials import Credentials, Tls, read_credentials
from arcscribe.rpc.server_tls import ServerTls


@dataclass(frozen=True, slots=True)
class Files:
    """A certificate and its key, in PEM."""

    certificate: Path
    key: Path


class Authority:
    """A CA, and a folder for what it issues."""

    def __init__(self, folder: Path, name: str = "ca") -> None:
        self._ca = trustme.CA(organization_name=name)
        self._folder = folder
        self.file = folder / f"{name}.pem"
        self._ca.cert_pem.write_to_path(self.file)

    def issue(self, *names: str, to: str = "server", expired: bool = False) -> Files:
        """A new certificate for names or addresses, at the place of the one before with that `to`."""
        now = datetime.now(UTC)
        last = now + timedelta(days=-1 if expired else 1)
        issued = self._ca.issue_cert(
            *(names or ("localhost", "127.0.0.1")), not_before=now - timedelta(days=2), not_after=last
        )
        files = Files(self._folder / f"{to}.pem", self._folder / f"{to}.key")
        issued.private_key_pem.write_to_path(files.key)
        files.certificate.write_bytes(b"".join(pem.bytes() for pem in issued.cert_chain_pems))
        return files

    def server(self, *names: str, expired: bool = False, mutual: bool = False) -> ServerTls:
        """What a server is told; with `mutual`, callers need a certificate of this authority."""
        files = self.issue(*names, expired=expired)
        return ServerTls(str(files.certificate), str(files.key), str(self.file) if mutual else "")

    def tls(self, client: Files | None = None, server_name: str = "") -> Tls:
        """What a client is told, who shows that certificate of its own."""
        own = (str(client.certificate), str(client.key)) if client else ("", "")
        return Tls(str(self.file), *own, server_name)

    def credentials(self, client: Files | None = None, server_name: str = "") -> Credentials:
        return read_credentials(self.tls(client, server_name))
