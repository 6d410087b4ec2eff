"""Which processes a name stands for."""

import asyncio
import socket
from collections.abc import Iterable

from arcscribe.rpc.addresses import host_of
from orchestrator.stages.stage_settings import DNS


async def resolved(addresses: Iterable[str]) -> dict[str, str]:
    """The addresses with each `dns:///name:port` replaced by all that the name stands for now.

    Returns:
        By address, the name that it was found behind; empty where none was asked for.

    Raises:
        OSError: a name stands for nothing, or nobody can be asked.
    """
    found: dict[str, str] = {}
    for address in addresses:
        if address.startswith(DNS):
            found |= dict.fromkeys(await _behind(address.removeprefix(DNS)), host_of(address))
        else:
            found[address] = ""
    return found


async def _behind(name: str) -> set[str]:
    host, _, port = name.rpartition(":")
    loop = asyncio.get_running_loop()
    try:
        infos = await loop.getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM)
    except UnicodeError as error:  # a part of it is empty or longer than 63 letters
        raise OSError(f"{host} cannot be a host's name: {error}") from error
    return {
        f"[{ip}]:{port}" if ":" in ip else f"{ip}:{port}" for *_, (ip, *_) in infos if isinstance(ip, str)
    }
