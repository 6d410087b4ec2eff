"""Where a server listens: a port, or a Unix socket that is its owner's alone."""

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import grpc

from arcscribe.errors import AddressInUse
from arcscribe.rpc.addresses import check_text, is_port, is_socket
from arcscribe.rpc.server_tls import ServerCertificate

LONGEST_SOCKET_PATH = 107
"""Bytes that Linux takes; other systems take a few less."""


def bind(server: grpc.aio.Server, address: str, certificate: ServerCertificate | None = None) -> str:
    """Listens on `host:port` or `unix:PATH`, and tells the address with the port that was taken.

    A port speaks TLS where there is a certificate; a Unix socket is its owner's alone, and needs none.

    Raises:
        AddressInUse: somebody listens there, or the address cannot be had.
        InvalidOption: the address is no text.
    """
    check_text(address)
    if address.startswith("unix:"):
        _check_socket(Path(address.removeprefix("unix:")))
    else:
        _check_port(address)
    try:
        if is_socket(address):
            with _for_its_owner():
                port = server.add_insecure_port(address)
        elif certificate is None:
            port = server.add_insecure_port(address)
        else:
            port = server.add_secure_port(address, certificate.credentials())
    except RuntimeError as error:
        raise AddressInUse(f"cannot listen on {address}: in use, or not of this machine") from error
    if address.startswith("unix:"):
        return address
    return f"{address.rpartition(':')[0]}:{port}"


@contextmanager
def _for_its_owner() -> Iterator[None]:
    """What is made meanwhile is never open to others, not even until its mode could be changed."""
    mask = os.umask(0o177)
    try:
        yield
    finally:
        os.umask(mask)


def _check_port(address: str) -> None:
    if not is_port(address.rpartition(":")[2]):
        raise AddressInUse(
            f"cannot listen on {address}: not of this machine; addresses are host:port or unix:PATH"
        )


def _check_socket(path: Path) -> None:
    if not path.name:
        raise AddressInUse("cannot listen on unix: without a path")
    if len(os.fsencode(path)) > LONGEST_SOCKET_PATH:
        raise AddressInUse(f"cannot listen on unix:{path}: longer than {LONGEST_SOCKET_PATH} bytes")
    # gRPC removes a socket file that is in its way, even one at which another process listens.
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        try:
            probe.connect(str(path))
        except OSError:
            return
    raise AddressInUse(f"cannot listen on unix:{path}: another process listens there")
