"""One worker process, seen from the source."""

import mmap
import os
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import msgspec
import numpy as np

import orchestrator
from arcscribe.types import RgbImage
from orchestrator.pages.messages import Rendered, Reply, Request, receive_reply, send

_ROOT = Path(orchestrator.__file__).parents[1]


class WorkerDied(Exception):
    """The process ended before it answered."""


class WorkerTooSlow(Exception):
    """The process did not answer in time."""


class WorkerProcess:
    """A process that answers one request at a time, and loads its libraries while nobody waits for it yet.

    `call` blocks; `kill` may be called at any time from another thread, and ends a call in progress.
    """

    def __init__(self, memory_mib: int) -> None:
        self.answered = 0
        self._channel, theirs = socket.socketpair()
        command = [sys.executable, "-P", "-m", "orchestrator.pages.worker"]
        with theirs:
            self._process = subprocess.Popen(
                [*command, str(theirs.fileno()), str(memory_mib)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                process_group=0,  # Ctrl-C is for whoever draws pages for the documents in work, not for this
                env=_environment(),
            )

    @property
    def pid(self) -> int:
        return self._process.pid

    def call(self, request: Request, descriptor: int) -> tuple[Reply, RgbImage | None]:
        """Ask, and wait for the reply and, where it is `Rendered`, the pixels.

        They are uint8 of shape (height, width, 3), read-only.

        Raises:
            WorkerDied: the process ended.
            WorkerTooSlow: `request.seconds` passed.
        """
        try:
            self._channel.settimeout(request.seconds)
            send(self._channel, request, descriptor)
            reply, file = receive_reply(self._channel)
        except TimeoutError as error:
            raise WorkerTooSlow from error
        except (OSError, EOFError, msgspec.DecodeError) as error:
            raise WorkerDied from error
        self.answered += 1
        if file is None or not isinstance(reply, Rendered):
            return reply, None
        return reply, pixels_of(file, reply)

    def kill(self) -> None:
        """End the process now."""
        with suppress(OSError):
            self._channel.shutdown(socket.SHUT_RDWR)  # wakes a thread that waits on it; closing would not
        self._process.kill()
        self._process.wait()
        self._channel.close()


def pixels_of(descriptor: int, page: Rendered) -> RgbImage:
    """The worker's own memory, not a copy of it; it goes back to the system with the array."""
    try:
        memory = mmap.mmap(descriptor, page.width * page.height * 3, prot=mmap.PROT_READ)
    finally:
        os.close(descriptor)
    return np.frombuffer(memory, dtype=np.uint8).reshape(page.height, page.width, 3)


def _environment() -> dict[str, str]:
    """Ours, and the folder that holds this package, wherever the process was started."""
    path = [str(_ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    return os.environ | {"PYTHONPATH": os.pathsep.join(path)}
