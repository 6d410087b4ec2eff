"""How much memory there is."""

from pathlib import Path

import psutil

_CGROUP = Path("/sys/fs/cgroup")


def available_memory(cgroup: Path = _CGROUP) -> int:
    """Bytes that this process may still take: of the machine, or of its container if that is less."""
    machine = int(psutil.virtual_memory().available)
    try:
        limit = int((cgroup / "memory.max").read_text())
        used = int((cgroup / "memory.current").read_text())
        counts = dict(line.split() for line in (cgroup / "memory.stat").read_text().splitlines())
        # Cached files count as used, yet give way to whoever needs the memory.
        return min(machine, limit - used + int(counts["file"]))
    except (OSError, ValueError, KeyError):
        return machine
