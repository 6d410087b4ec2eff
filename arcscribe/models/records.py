"""What is known of a file in the store: a small record beside it, so that a start need not hash every model.

A file counts as unchanged while its size and its time of change are those of the record. The time is kept in
whole seconds, since layers of images keep no more.
"""

from contextlib import suppress
from pathlib import Path

import msgspec

_SUFFIX = ".record"


class FileRecord(msgspec.Struct, frozen=True):
    """A file as it was when its hash was last computed. `mtime` is in seconds since 1970."""

    sha256: str
    bytes: int
    mtime: int

    def matches(self, path: Path) -> bool:
        """Whether the file looks as it did."""
        status = path.stat()
        return (status.st_size, int(status.st_mtime)) == (self.bytes, self.mtime)


def read_record(path: Path) -> FileRecord | None:
    """The record of a file; None where there is none that can be read."""
    with suppress(OSError, msgspec.DecodeError):
        return msgspec.json.decode(_record_path(path).read_bytes(), type=FileRecord)
    return None


def write_record(path: Path, sha256: str) -> None:
    """Records a file with its hash, all or nothing."""
    status = path.stat()
    record = FileRecord(sha256, status.st_size, int(status.st_mtime))
    part = _record_path(path).with_suffix(".part")
    part.write_bytes(msgspec.json.encode(record))
    part.replace(_record_path(path))


def recorded_names(folder: Path) -> tuple[str, ...]:
    """The names of a folder's files that have a record."""
    return tuple(path.name[1 : -len(_SUFFIX)] for path in sorted(folder.glob(f".*{_SUFFIX}")))


def _record_path(path: Path) -> Path:
    return path.with_name(f".{path.name}{_SUFFIX}")
