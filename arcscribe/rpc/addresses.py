"""What an address says of who can reach it, or read what is sent there."""

import ipaddress

from arcscribe.errors import InvalidOption

_SCHEMES = ("dns:///", "dns:", "ipv4:", "ipv6:")
_SOCKETS = ("unix:", "unix-abstract:")


LARGEST_PORT = 65_535


def is_port(text: str) -> bool:
    """Whether it is a port's number in digits; gRPC and getaddrinfo take 99999 for 34463."""
    return text.isascii() and text.isdecimal() and int(text) <= LARGEST_PORT


def check_text(address: str) -> None:
    """Refuses what an argument of a command may be, and no address.

    Raises:
        InvalidOption: it cannot be said in UTF-8.
    """
    try:
        address.encode()
    except UnicodeEncodeError:
        raise InvalidOption("an address is host:port or unix:PATH, in UTF-8", field="address") from None


def is_socket(address: str) -> bool:
    """Whether it is a Unix socket, which is its owner's alone."""
    return address.startswith(_SOCKETS)


def host_of(address: str) -> str:
    """The host of `host:port`, without the brackets round an IPv6 address; empty for a Unix socket."""
    if is_socket(address):
        return ""
    for scheme in _SCHEMES:
        address = address.removeprefix(scheme)
    host, colon, _ = address.rpartition(":")
    return (host if colon else address).strip("[]")


def is_local(address: str) -> bool:
    """Whether what is sent there does not leave the machine."""
    if is_socket(address):
        return True
    host = host_of(address)
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower().rstrip(".") == "localhost"
