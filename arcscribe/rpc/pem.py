"""Certificates and keys in PEM files, checked before gRPC gets them: it says little of what is wrong."""

import ssl
from dataclasses import dataclass, field
from pathlib import Path

from arcscribe.errors import InvalidConfig


@dataclass(frozen=True, slots=True)
class KeyPair:
    """A certificate, with those between it and its CA, and its key, as PEM."""

    certificate: bytes
    key: bytes = field(repr=False)


def read_pair(certificate: str, key: str) -> KeyPair:
    """A certificate and its key.

    Raises:
        InvalidConfig: a file is absent or no PEM, the key is encrypted, or is that of another certificate.
    """
    pair = KeyPair(_read(certificate), _read(key))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        context.load_cert_chain(certificate, key, password="")
    except (ssl.SSLError, ValueError, OSError) as error:
        what = getattr(error, "reason", "") or str(error)
        raise InvalidConfig(f"{certificate} and {key} are no certificate and its plain key: {what}") from None
    if pair != KeyPair(_read(certificate), _read(key)):
        raise InvalidConfig(f"{certificate} or {key} changed while it was read")
    return pair


def read_authorities(path: str) -> bytes:
    """Certificates of authorities.

    Raises:
        InvalidConfig: the file is absent, or holds no certificate.
    """
    data = _read(path)
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cadata=data.decode("ascii"))
    except (ssl.SSLError, ValueError):
        raise InvalidConfig(f"{path} holds no certificate in PEM") from None
    return data


def _read(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except (OSError, ValueError) as error:
        raise InvalidConfig(f"{path}: {getattr(error, 'strerror', '') or error}") from None
