"""Metrics over HTTP, for Prometheus to fetch."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from socketserver import ThreadingTCPServer
from typing import Any

import structlog
from prometheus_client import REGISTRY
from prometheus_client.exposition import choose_encoder

from arcscribe.errors import AddressInUse
from arcscribe.rpc.addresses import is_port

log = structlog.get_logger()

PATH = "/metrics"
MAX_CONNECTIONS = 8
"""One more is hung up on: Prometheus needs one, and nobody may have as many threads as he likes."""
SILENCE_SECONDS = 10.0
"""How long a connection may say nothing."""
LONGEST_SECONDS = 30.0
"""How long one may last: it keeps a place from others."""


@contextmanager
def serving_metrics(address: str) -> Iterator[str]:
    """Serves `GET /metrics` at `host:port` in threads of its own; nothing for an empty address.

    Yields:
        The address, with the port that was taken.

    Raises:
        AddressInUse: somebody listens there, or the address cannot be had.
    """
    if not address:
        yield ""
        return
    with _bound(address) as server:
        thread = threading.Thread(
            target=server.serve_forever, kwargs={"poll_interval": 0.1}, name="metrics", daemon=True
        )
        thread.start()
        bound = f"{address.rpartition(':')[0]}:{server.server_address[1]}"
        log.info("metrics", address=bound)
        try:
            yield bound
        finally:
            server.shutdown()


def _bound(address: str) -> "_Server":
    host, _, port = address.rpartition(":")
    refused = AddressInUse(
        f"cannot serve metrics on {address}: in use, or not of this machine; it must be host:port"
    )
    if not is_port(port):
        raise refused
    try:
        (family, _, _, _, place), *_ = socket.getaddrinfo(
            host.strip("[]"), int(port), type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        return _Server(family, place)
    except (OSError, OverflowError, ValueError) as error:
        raise refused from error


class _Server(ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    block_on_close = False

    def __init__(self, family: socket.AddressFamily, place: Any) -> None:
        self.address_family = family
        self._places = threading.BoundedSemaphore(MAX_CONNECTIONS)
        super().__init__(place, _Scrape)

    def process_request(self, request: Any, client_address: Any) -> None:
        if self._places.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        hang_up = threading.Timer(LONGEST_SECONDS, _hang_up, [request])
        hang_up.daemon = True
        hang_up.start()
        try:
            super().process_request_thread(request, client_address)
        finally:
            hang_up.cancel()
            self._places.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Callers that hang up are their own business; by default there would be a traceback."""


def _hang_up(connection: socket.socket) -> None:
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)


class _Scrape(BaseHTTPRequestHandler):
    timeout = SILENCE_SECONDS
    server_version, sys_version = "arcscribe", ""

    def do_GET(self) -> None:  # the name that http.server calls
        if self.path.partition("?")[0] != PATH:
            self.send_error(HTTPStatus.NOT_FOUND, explain=f"there is {PATH} only")
            return
        encode, content_type = choose_encoder(self.headers.get("Accept", ""))
        body = encode(REGISTRY)
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_arguments: Any) -> None:
        """Nothing: the log is JSON lines about documents in work."""
