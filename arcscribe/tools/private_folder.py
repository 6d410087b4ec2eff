"""A folder for sockets and logs, which goes when its owner goes, at the latest when the next one comes.

An owner that was killed leaves its folder behind. Whether it lives is told by a lock, which the system takes
from the dead; a process id would tell nothing to those in another container.
"""

import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PREFIX = "arcscribe-"
LOCK = "lock"
LONGEST_PARENT = 68
"""Bytes that leave room for a folder and a socket's name in the 107 that a socket's path may have."""
UNLOCKED_SECONDS = 60.0
"""How long a folder may be without a lock: its owner is about to make one."""


@contextmanager
def private_folder() -> Iterator[Path]:
    """A new folder that this user alone may enter, for as long as the context lasts."""
    parent = _parent()
    sweep(parent)
    folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent))
    try:
        with (folder / LOCK).open("wb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _parent() -> Path:
    """The system's folder for temporary files, unless its path is too long for sockets in the new folder."""
    parent = Path(tempfile.gettempdir())
    return parent if len(os.fsencode(parent)) <= LONGEST_PARENT else Path("/tmp")


def sweep(parent: Path) -> None:
    """Removes what owners that are dead have left."""
    for folder in parent.glob(f"{PREFIX}*"):
        with suppress(OSError):
            if folder.is_dir() and folder.stat().st_uid == os.getuid() and _is_abandoned(folder):
                shutil.rmtree(folder, ignore_errors=True)


def _is_abandoned(folder: Path) -> bool:
    try:
        with (folder / LOCK).open("rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
            return True
    except BlockingIOError:
        return False
    except FileNotFoundError:
        return time.time() - folder.stat().st_mtime > UNLOCKED_SECONDS
