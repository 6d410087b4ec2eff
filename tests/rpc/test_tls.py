"""TLS and mutual TLS between real sockets, and certificates that change while calls are in work."""

import asyncio
import os
import socket
from collections.abc import Awaitable, Callable
from pathlib import Path

import grpc
import pytest
import structlog
from grpc_health.v1 import health_pb2, health_pb2_grpc

from arcscribe.errors import InvalidConfig
from arcscribe.rpc.access import Access
from arcscribe.rpc.channel import open_channel
from arcscribe.rpc.credentials import PLAIN, Credentials, Tls, read_credentials
from arcscribe.rpc.server_tls import ServerCertificate, ServerTls
from arcscribe.rpc.tokens import CallToken, hash_of
from tests.certificates import Authority
from tests.rpc.fake_stage import FakeStage, analyze, fake_service, nothing
from tests.servers import guarded


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("ca"))


async def answered(address: str, credentials: Credentials, host: str = "") -> None:
    async with open_channel(address, credentials, host=host) as channel:
        await analyze(channel, "0", timeout=5)


async def refused(address: str, credentials: Credentials) -> str:
    """Why a call cannot be made."""
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await answered(address, credentials)
    assert caught.value.code() is grpc.StatusCode.UNAVAILABLE
    return caught.value.details() or ""


def with_server(access: Access, work: Callable[[str], Awaitable[None]]) -> None:
    async def run() -> None:
        async with guarded(fake_service(FakeStage(), nothing), access) as address:
            await work(address)

    asyncio.run(run())


def test_a_call_over_tls_is_answered_and_one_in_plain_text_is_not(authority: Authority) -> None:
    async def work(address: str) -> None:
        await answered(address, authority.credentials())
        await refused(address, PLAIN)

    with_server(Access(authority.server()), work)


def test_a_server_whose_certificate_is_of_another_authority_is_not_trusted(
    authority: Authority, tmp_path: Path
) -> None:
    other = Authority(tmp_path, "other")

    async def work(address: str) -> None:
        assert "CERTIFICATE_VERIFY_FAILED" in await refused(address, other.credentials())

    with_server(Access(authority.server()), work)


def test_a_certificate_is_for_the_host_the_name_behind_which_it_is_or_the_name_that_is_set(
    authority: Authority,
) -> None:
    async def work(address: str) -> None:
        assert "Hostname" in await refused(address, authority.credentials())
        await answered(address, authority.credentials(), host="vlm.example")
        await answered(address, authority.credentials(server_name="vlm.example"), host="layout.example")

    with_server(Access(authority.server("vlm.example")), work)


def test_an_expired_certificate_is_refused_on_both_sides(authority: Authority) -> None:
    expired = authority.issue("client", to="expired", expired=True)

    async def shown(address: str) -> None:
        assert "expired" in await refused(address, authority.credentials())

    async def brought(address: str) -> None:
        await refused(address, authority.credentials(expired))

    with_server(Access(authority.server(expired=True)), shown)
    with_server(Access(authority.server(mutual=True)), brought)


def test_mutual_tls_lets_in_who_has_a_certificate_of_its_authority_alone(
    authority: Authority, tmp_path: Path
) -> None:
    stranger = Authority(tmp_path, "stranger").issue("client", to="stranger")

    async def work(address: str) -> None:
        await answered(address, authority.credentials(authority.issue("client", to="client")))
        await refused(address, authority.credentials())
        await refused(address, authority.credentials(stranger))

    with_server(Access(authority.server(mutual=True)), work)


def test_health_is_answered_in_plain_text_at_an_address_of_its_own_and_nothing_else_is(
    authority: Authority, tmp_path: Path
) -> None:
    tls = authority.server(mutual=True)
    access = Access(ServerTls(tls.certificate, tls.key, tls.client_ca, f"unix:{tmp_path}/health.sock"))

    async def work(_address: str) -> None:
        async with open_channel(f"unix:{tmp_path}/health.sock") as channel:
            response = await health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest())
            assert response.status == health_pb2.HealthCheckResponse.SERVING
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await analyze(channel, "0")
            assert caught.value.code() is grpc.StatusCode.UNIMPLEMENTED

    with_server(access, work)


def test_under_load_a_new_certificate_is_shown_to_new_connections_and_no_call_is_lost(
    authority: Authority,
) -> None:
    async def calls(channel: grpc.aio.Channel, end: asyncio.Event) -> int:
        count = 0
        while not end.is_set():
            await analyze(channel, "0.01", timeout=5)
            count += 1
        return count

    async def work(address: str) -> None:
        old, new = authority.credentials(), authority.credentials(server_name="new.example")
        end = asyncio.Event()
        async with open_channel(address, old) as channel:
            await analyze(channel, "0")
            long = asyncio.ensure_future(analyze(channel, "0.5"))
            load = [asyncio.create_task(calls(channel, end)) for _ in range(4)]
            authority.issue("new.example")
            for _ in range(3):
                await answered(address, new)
                assert "Hostname" in await refused(address, old)
            await long
            end.set()
            assert min(await asyncio.gather(*load)) > 0

    with_server(Access(authority.server()), work)


def test_a_broken_new_certificate_is_logged_once_and_the_old_one_stays(authority: Authority) -> None:
    tls = authority.server()
    certificate = ServerCertificate(tls)
    with structlog.testing.capture_logs() as logs:
        Path(tls.key).write_text("-----BEGIN PRIVATE KEY-----\nnonsense\n", encoding="ascii")
        assert certificate.changed() is None
        assert certificate.changed() is None
        Path(tls.certificate).unlink()
        assert certificate.changed() is None
        authority.issue("127.0.0.1")
        assert certificate.changed() is not None
        assert certificate.changed() is None
    events = [entry["event"] for entry in logs]
    assert events == ["certificate not reloaded", "certificate not reloaded", "certificate reloaded"]
    assert "nonsense" not in str(logs)


def test_files_that_are_written_anew_with_the_same_in_them_change_nothing(authority: Authority) -> None:
    tls = authority.server()
    certificate = ServerCertificate(tls)
    os.utime(tls.certificate, ns=(1, 1))
    assert certificate.changed() is None


def test_a_link_that_points_elsewhere_is_a_change(authority: Authority, tmp_path: Path) -> None:
    """As Kubernetes renews secrets: the folder that a link names is another."""
    for name in ("one", "two"):
        files = authority.issue()
        (tmp_path / name).mkdir()
        (tmp_path / name / "tls.crt").write_bytes(files.certificate.read_bytes())
        (tmp_path / name / "tls.key").write_bytes(files.key.read_bytes())
    link = tmp_path / "data"
    link.symlink_to("one")
    certificate = ServerCertificate(ServerTls(str(link / "tls.crt"), str(link / "tls.key")))
    (tmp_path / "new").symlink_to("two")
    (tmp_path / "new").replace(link)
    assert certificate.changed() is not None


def broken(authority: Authority, folder: Path) -> dict[str, ServerTls]:
    one, other = authority.issue(to="one"), authority.issue(to="other")
    nonsense = folder / "nonsense.pem"
    nonsense.write_text("nonsense", encoding="ascii")
    good = str(one.certificate), str(one.key)
    return {
        "No such file": ServerTls(str(folder / "absent.pem"), good[1]),
        "KEY_VALUES_MISMATCH": ServerTls(good[0], str(other.key)),
        "no certificate and its plain key": ServerTls(str(nonsense), good[1]),
        "holds no certificate": ServerTls(*good, str(nonsense)),
    }


def test_files_that_cannot_be_used_end_the_start_with_a_line_that_names_them(
    authority: Authority, tmp_path: Path
) -> None:
    for what, tls in broken(authority, tmp_path).items():
        with pytest.raises(InvalidConfig, match=what):
            with_server(Access(tls), lambda _address: asyncio.sleep(0))


def test_a_clients_certificate_needs_its_key(authority: Authority) -> None:
    with pytest.raises(InvalidConfig, match="needs its key"):
        read_credentials(Tls(str(authority.file), certificate="client.pem"))


@pytest.mark.parametrize(
    ("address", "access", "warnings"),
    [
        ("0.0.0.0:50061", Access(), 1),
        ("[::]:50061", Access(), 1),
        ("127.0.0.1:50061", Access(), 0),
        ("localhost:50061", Access(), 0),
        ("unix:/run/stage.sock", Access(), 0),
        ("0.0.0.0:50061", Access(ServerTls("a", "b")), 0),
        ("0.0.0.0:50061", Access(tokens=(CallToken("a", hash_of("a")),)), 0),
    ],
)
def test_a_port_open_to_the_network_is_warned_of(address: str, access: Access, warnings: int) -> None:
    with structlog.testing.capture_logs() as logs:
        access.warn(address)
    assert len(logs) == warnings


def test_a_caller_who_says_nothing_keeps_nobody_waiting(authority: Authority) -> None:
    async def work(address: str) -> None:
        host, _, port = address.rpartition(":")
        with socket.create_connection((host, int(port))):
            await answered(address, authority.credentials())

    with_server(Access(authority.server()), work)
