"""Which processes a name stands for."""

import asyncio
import socket

from arcscribe.rpc.addresses import host_of
from orchestrator.stages.stage_settings import DNS


async def resolved(address: str) -> dict[str, str]:
    """The address, or all that `dns:///name:port` stands for now.

    Returns:
        By address, the name that it was found behind; empty where none was asked for.

    Raises:
        OSError: the name stands for nothing, or nobody can be asked.
    """
    if not address.startswith(DNS):
        return {address: ""}
    return dict.fromkeys(await _behind(address.removeprefix(DNS)), host_of(address))


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
