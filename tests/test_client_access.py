"""The public clients, where the service wants TLS and a token."""

import asyncio
from functools import partial
from pathlib import Path

import pytest

from arcscribe import AsyncClient, Client, Tls
from arcscribe.errors import InvalidConfig, InvalidOption, StageUnavailable, Unauthenticated
from arcscribe.rpc.access import Access
from arcscribe.rpc.server import Service
from arcscribe.rpc.tokens import DocumentToken, hash_of
from tests.certificates import Authority
from tests.fake_parser import FakeParser, add_to
from tests.servers import guarded

BIG = b"x" * 3_000_000


def parse_service() -> Service:
    async def nothing() -> None:
        return

    return Service("arcscribe.v1.DocumentParser", partial(add_to, FakeParser()), nothing, nothing)


def test_both_clients_parse_over_mutual_tls_with_a_token(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    tls = authority.tls(authority.issue("client", to="client"))
    access = Access(authority.server(mutual=True), (DocumentToken("caller", hash_of("t0ken")),))

    def blocking(address: str) -> str:
        with Client(address, tls=tls, token="t0ken") as client:
            return client.parse(b"words").markdown

    async def work() -> None:
        async with guarded(parse_service(), access) as address:
            async with AsyncClient(address, tls=tls, token="t0ken") as client:
                assert (await client.parse(b"words")).markdown == "words"
            assert await asyncio.to_thread(blocking, address) == "words"
            async with AsyncClient(address, tls=authority.tls(), token="t0ken") as client:
                with pytest.raises(StageUnavailable):
                    await client.parse(b"words")

    asyncio.run(work())


def test_a_caller_without_a_known_token_is_told_so_whatever_it_sends() -> None:
    access = Access(tokens=(DocumentToken("caller", hash_of("t0ken")),))

    async def work() -> None:
        async with guarded(parse_service(), access) as address:
            for token in ("", "wrong"):
                async with AsyncClient(address, token=token) as client:
                    for document in (b"words", BIG, BIG, BIG):
                        with pytest.raises(Unauthenticated):
                            await client.parse(document)

    asyncio.run(work())


def test_a_client_that_would_tell_its_token_to_the_network_is_not_made() -> None:
    for kind in (Client, AsyncClient):
        with pytest.raises(InvalidOption, match=r"to parse\.example:1 in plain text"):
            asyncio.run(_made(kind, "parse.example:1"))
    asyncio.run(_made(AsyncClient, "parse.example:1", token_without_tls=True))
    with pytest.raises(InvalidConfig, match="holds no token"):
        asyncio.run(_made(Client, "127.0.0.1:1", "two words"))
    with pytest.raises(InvalidConfig, match="absent"):
        Client("127.0.0.1:1", tls=Tls("absent.pem"))


async def _made(
    kind: type[Client] | type[AsyncClient],
    address: str,
    token: str = "t0ken",
    *,
    token_without_tls: bool = False,
) -> None:
    kind(address, token=token, token_without_tls=token_without_tls)
