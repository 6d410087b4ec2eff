"""Which processes a name stands for."""

import asyncio
import socket
from collections.abc import Iterable

from orchestrator.stages.stage_settings import DNS


async def resolved(addresses: Iterable[str]) -> frozenset[str]:
    """The addresses with each `dns:///name:port` replaced by all that the name stands for now.

    Raises:
        OSError: a name stands for nothing, or nobody can be asked.
    """
    found: set[str] = set()
    for address in addresses:
        found |= await _behind(address.removeprefix(DNS)) if address.startswith(DNS) else {address}
    return frozenset(found)


async def _behind(name: str) -> set[str]:
    host, _, port = name.rpartition(":")
    infos = await asyncio.get_running_loop().getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM)
    return {
        f"[{ip}]:{port}" if ":" in ip else f"{ip}:{port}" for *_, (ip, *_) in infos if isinstance(ip, str)
    }
