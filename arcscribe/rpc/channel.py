"""Channels to the stages, with the sizes and the keep-alive that all of Arcscribe uses."""

import grpc

from arcscribe.rpc.addresses import check_text
from arcscribe.rpc.credentials import PLAIN, Credentials

MAX_MESSAGE_BYTES = 256 * 1024 * 1024
"""Room for an uncompressed page of 64 megapixels, the most that a stage accepts."""

MESSAGE_OPTIONS: tuple[tuple[str, int], ...] = (
    ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
    ("grpc.max_send_message_length", MAX_MESSAGE_BYTES),
)

_CHANNEL_OPTIONS: tuple[tuple[str, int], ...] = (
    *MESSAGE_OPTIONS,
    ("grpc.keepalive_time_ms", 30_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    # A stage that restarts at its old address should be found again at once, not after gRPC's two minutes.
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 2_000),
    # The servers that one process talks to are few; sharing sockets between channels only couples failures.
    ("grpc.use_local_subchannel_pool", 1),
)


# grpc.aio counts its users, and takes its completion queue down with the last. Where clients come and go in
# several threads, that races with the next one's start; so one user stays for as long as the process.
grpc.aio.init_grpc_aio()  # type: ignore[attr-defined]  # which the stubs do not know


def open_channel(address: str, credentials: Credentials = PLAIN, *, host: str = "") -> grpc.aio.Channel:
    """A channel to `host:port` or `unix:PATH`; it connects at the first call.

    Args:
        credentials: the server's certificate must be for their `server_name`, if they have one, or else for
            the host; their token goes with calls, not with the channel.
        host: where the address is an IP that a name stands for: the name.

    Raises:
        InvalidOption: the address is no text, as arguments of a command may be.
    """
    check_text(address)
    secure = credentials.for_channel(address)
    if secure is None:
        return grpc.aio.insecure_channel(address, options=_CHANNEL_OPTIONS)
    return grpc.aio.secure_channel(address, secure, options=_secure_options(credentials.server_name or host))


def open_blocking_channel(address: str) -> grpc.Channel:
    """The same in plain text for callers without an event loop."""
    check_text(address)
    return grpc.insecure_channel(address, options=_CHANNEL_OPTIONS)


def _secure_options(server_name: str) -> tuple[tuple[str, str | int], ...]:
    if not server_name:
        return _CHANNEL_OPTIONS
    return (*_CHANNEL_OPTIONS, ("grpc.ssl_target_name_override", server_name))
