"""What `--server` needs where the service is not for everybody: TLS, and a token."""

import os
from pathlib import Path

from arcscribe.async_client import AccessOptions
from arcscribe.errors import InvalidOption
from arcscribe.rpc.credentials import Tls, checked_token, read_token

TOKEN_VARIABLE = "ARCSCRIBE_TOKEN"


def access_options(
    server: str, ca: Path | None, certificate: Path | None, key: Path | None, token_file: Path | None
) -> AccessOptions:
    """For the client of a server; none of the files is for the processes that are started without one.

    Raises:
        InvalidOption: a file is given, and no server.
        InvalidConfig: the token's file, or the variable, holds no token.
    """
    if not server:
        if any((ca, certificate, key, token_file)):
            what = "--tls-ca, --tls-cert, --tls-key and --token-file"
            raise InvalidOption(f"{what} go with --server", field="server")
        return AccessOptions()
    return AccessOptions(tls=tls_of(ca, certificate, key), token=_token(token_file))


def tls_of(ca: Path | None, certificate: Path | None, key: Path | None) -> Tls | None:
    """What these options say of TLS; None: plain text.

    Raises:
        InvalidOption: a certificate of our own, and none of the authority.
    """
    if ca:
        return Tls(*(str(file or "") for file in (ca, certificate, key)))
    if certificate or key:
        raise InvalidOption("--tls-cert and --tls-key need --tls-ca", field="tls-ca")
    return None


def _token(file: Path | None) -> str:
    if file is not None:
        return read_token(file)
    token = os.environ.get(TOKEN_VARIABLE, "").strip()
    return checked_token(token, TOKEN_VARIABLE) if token else ""
