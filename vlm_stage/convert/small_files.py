"""The small files of a checkpoint, which is not trusted: read whole, or refused in one line."""

import stat
from pathlib import Path
from typing import TypeVar

import msgspec

from arcscribe.errors import ModelMissing

MOST_BYTES = 100_000_000
"""Ten times what the largest such file of a published checkpoint has, its tokenizer."""

_Content = TypeVar("_Content")


def is_there(path: Path) -> bool:
    """Whether a folder has a file of that name; a link that leads nowhere counts, for reading it to fail.

    Raises:
        ModelMissing: this user may not look.
    """
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise ModelMissing(f"{path} cannot be read: {error.strerror}") from error
    return True


def check_regular(path: Path) -> None:
    """Sees that a path leads to a regular file: opening a pipe waits for a writer, and devices never end.

    Raises:
        ModelMissing: it does not, or this user may not look.
    """
    try:
        mode = path.stat().st_mode
    except OSError as error:
        dangling = isinstance(error, FileNotFoundError) and path.is_symlink()
        reason = "it is a link that leads nowhere" if dangling else error.strerror
        raise ModelMissing(f"{path} cannot be read: {reason}") from error
    if not stat.S_ISREG(mode):
        raise ModelMissing(f"{path} is no regular file")


def read_small(path: Path) -> bytes:
    """What is in a file.

    Raises:
        ModelMissing: it is no regular file, cannot be read, or is larger than any such file is.
    """
    check_regular(path)
    try:
        if (size := path.stat().st_size) > MOST_BYTES:
            raise ModelMissing(f"{path} has {size:,} bytes, and this reads no more than {MOST_BYTES:,}")
        return path.read_bytes()
    except OSError as error:
        raise ModelMissing(f"{path} cannot be read: {error.strerror}") from error


def read_json(path: Path, kind: type[_Content]) -> _Content:
    """What is in a file of JSON.

    Raises:
        ModelMissing: as `read_small`; or it is no JSON, nested too deeply, or of another form.
    """
    content = read_small(path)
    try:
        return msgspec.json.decode(content, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ModelMissing(f"{path} is damaged: {error}") from error
