"""A process that does one long piece of work for a command: started, listened to, and stopped with it."""

import signal
import subprocess
import sys
import tempfile
from collections.abc import Generator, Sequence
from typing import IO, TypeVar

import msgspec

from arcscribe.errors import ModelMissing

STOP_SECONDS = 10.0
ERROR = "error: "

EventT = TypeVar("EventT")


def worker_events(
    module: str, arguments: Sequence[str], decoder: "msgspec.json.Decoder[EventT]"
) -> Generator[EventT, None, None]:
    """Runs `python -m MODULE` and gives its events as they come; closed early, it stops the process.

    The process writes an event on each line of its standard output, and what goes wrong as a line
    `error: ...` on its standard error stream. It is asked to end with SIGTERM, and ends by itself when its
    standard input does, as it does if we are killed.

    Raises:
        ModelMissing: it failed, in the words of its own last error line.
    """
    command = [sys.executable, "-P", "-m", module, *arguments, "--exit-with-parent"]
    with tempfile.TemporaryFile() as log:
        # A session of its own: Ctrl-C reaches this process alone, which then stops the other in order.
        child = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, start_new_session=True
        )
        try:
            for line in child.stdout or ():
                yield decoder.decode(line)
            child.wait()
        finally:
            _stop(child)
        if child.returncode:
            raise _failure(module, child.returncode, log)


def _stop(child: "subprocess.Popen[bytes]") -> None:
    if child.poll() is None:
        child.terminate()
        try:
            child.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
    for stream in (child.stdin, child.stdout):
        if stream:
            stream.close()


def _failure(module: str, status: int, log: IO[bytes]) -> ModelMissing:
    if status == -signal.SIGKILL:
        return ModelMissing(f"{module} was killed, most likely since the memory was used up")
    log.seek(0)
    lines = log.read().decode("utf-8", "replace").splitlines()
    for line in reversed(lines):
        if line.startswith(ERROR):
            return ModelMissing(line.removeprefix(ERROR))
    told = f": {lines[-1].strip()}" if lines else ""
    return ModelMissing(f"{module} ended with exit status {status}{told}")
