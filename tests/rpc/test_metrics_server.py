"""Metrics over HTTP."""

import re
import socket
import urllib.request
from contextlib import ExitStack
from http.client import HTTPConnection

import pytest

from arcscribe.errors import AddressInUse
from arcscribe.rpc import metrics_server
from arcscribe.rpc.metrics_server import MAX_CONNECTIONS, serving_metrics

ADDRESS = "127.0.0.1:0"


def ask(address: str, path: str, method: str = "GET") -> tuple[int, str]:
    connection = HTTPConnection(address, timeout=5)
    connection.request(method, path)
    with connection.getresponse() as response:
        return response.status, response.read().decode()


def test_metrics_are_served_in_the_format_of_prometheus() -> None:
    with serving_metrics(ADDRESS) as address, urllib.request.urlopen(f"http://{address}/metrics") as response:
        text = response.read().decode()
        assert response.headers["Content-Type"].startswith("text/plain; version=")
        assert "Python" not in response.headers["Server"]
    assert "# TYPE arcscribe_requests_total counter" in text
    assert re.search(r"^process_resident_memory_bytes [\d.e+]+$", text, re.MULTILINE)
    assert "_created" not in text


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/", 404), ("GET", "/metrics/x", 404), ("POST", "/metrics", 501), ("GET", "/metrics?x=1", 200)],
)
def test_nothing_else_is_there(method: str, path: str, status: int) -> None:
    with serving_metrics(ADDRESS) as address:
        assert ask(address, path, method)[0] == status


def test_a_path_that_is_not_there_is_not_repeated_in_the_answer() -> None:
    with serving_metrics(ADDRESS) as address:
        assert "script" not in ask(address, "/<script>")[1]


def test_without_an_address_nothing_is_served() -> None:
    with serving_metrics("") as address:
        assert address == ""


def test_it_listens_where_it_is_told_only() -> None:
    with serving_metrics(ADDRESS) as address, pytest.raises(OSError, match="refused"):
        socket.create_connection(("127.0.0.2", int(address.rpartition(":")[2])), timeout=1)


@pytest.mark.parametrize("address", ["nonsense", "127.0.0.1:http!", "127.0.0.1:99999", "203.0.113.1:0"])
def test_an_address_that_cannot_be_is_told_in_one_line(address: str) -> None:
    with (
        pytest.raises(AddressInUse, match=f"^cannot serve metrics on {address}: ") as caught,
        ExitStack() as stack,
    ):
        stack.enter_context(serving_metrics(address))
    assert "\n" not in caught.value.message


def test_a_busy_port_is_told_in_one_line() -> None:
    with (
        serving_metrics(ADDRESS) as address,
        pytest.raises(AddressInUse, match="in use"),
        ExitStack() as stack,
    ):
        stack.enter_context(serving_metrics(address))


def test_the_port_is_free_when_it_ends() -> None:
    with serving_metrics(ADDRESS) as address:
        ask(address, "/metrics")
    with serving_metrics(address) as again:
        assert again == address


def test_callers_that_say_nothing_keep_none_from_the_metrics_but_by_their_number() -> None:
    with serving_metrics(ADDRESS) as address, ExitStack() as stack:
        host, port = address.split(":")
        for _ in range(MAX_CONNECTIONS - 1):
            stack.enter_context(socket.create_connection((host, int(port)), timeout=5))
        assert ask(address, "/metrics")[0] == 200
        stack.enter_context(socket.create_connection((host, int(port)), timeout=5))
        with socket.create_connection((host, int(port)), timeout=5) as one_more:
            assert one_more.recv(1) == b""


def test_a_caller_that_sends_a_byte_now_and_then_is_hung_up_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metrics_server, "LONGEST_SECONDS", 0.2)
    with serving_metrics(ADDRESS) as address:
        host, port = address.split(":")
        with socket.create_connection((host, int(port)), timeout=5) as slow:
            slow.sendall(b"GET")
            assert slow.recv(1) == b""
        assert ask(address, "/metrics")[0] == 200
