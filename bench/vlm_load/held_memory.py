"""What a process holds in memory as its work goes on, and by how much that grows."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import psutil

MB = 1_000_000


class Held(NamedTuple):
    """After so many crops: resident memory, in MB.

    What of it no other process shares (USS, PSS) would change by the size of the libraries with every process
    that comes and goes beside it.
    """

    crops: int
    rss: float


def held_by(process: psutil.Process, crops: int) -> Held:
    """What a process holds now."""
    return Held(crops, process.memory_info().rss / MB)


def growth(crops: Sequence[int], megabytes: Sequence[float]) -> float:
    """MB for each 1,000 crops: the slope of the straight line that fits best (least squares)."""
    slope, _ = np.polyfit(np.array(crops) / 1000, megabytes, 1)
    return float(slope)


def peak_rss(pid: int) -> float:
    """The most resident memory that a process has had, in MB."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    kibibytes = next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM:"))
    return int(kibibytes) * 1024 / MB
