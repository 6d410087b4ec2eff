"""Peak memory of a command and of all processes that it starts."""

import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress

import psutil

SAMPLE_SECONDS = 0.1
MB = 1_000_000


def peak_megabytes(command: Sequence[str]) -> float:
    """Runs a command, and gives the largest sum of what it and its descendants held in memory, in MB.

    Pages that processes share are counted once (proportional set size).

    Raises:
        CalledProcessError: the command failed.
    """
    process = psutil.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    peak = 0
    while process.poll() is None:
        peak = max(peak, _held_by([process, *_descendants(process)]))
        time.sleep(SAMPLE_SECONDS)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return peak / MB


def _descendants(process: psutil.Process) -> list[psutil.Process]:
    with suppress(psutil.Error):
        return list(process.children(recursive=True))
    return []


def _held_by(processes: Sequence[psutil.Process]) -> int:
    total = 0
    for process in processes:
        with suppress(psutil.Error):
            total += process.memory_full_info().pss
    return total
