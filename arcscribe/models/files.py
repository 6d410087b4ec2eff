"""Files of the store: hashes, names of half-fetched files, the step that makes one whole, and the lock."""

import errno
import fcntl
import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from arcscribe.errors import ModelMissing
from arcscribe.models.catalog import ModelFile

CHUNK_BYTES = 1 << 20
SCRATCH_PREFIX = ".wheels-"
"""Of folders in the store that the next pull removes, if whoever made them was killed."""
_NO_SPACE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


def sha256_of(path: Path) -> str:
    """The hash of a file's content, in hexadecimal digits."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def part_path(target: Path, file: ModelFile) -> Path:
    """Where a file is kept until it is whole: beside its place, so that a rename moves it there.

    The name carries the hash that is expected, so that bytes of one version never continue as another.
    """
    return target.with_name(f".{target.name}.{file.sha256[:8]}.part")


def copy_stream(stream: IO[bytes], part: Path, on_bytes: Callable[[int], None]) -> None:
    """Writes a stream to a part file; where it is interrupted, nothing stays."""
    try:
        with part.open("wb") as sink:
            while chunk := stream.read(CHUNK_BYTES):
                sink.write(chunk)
                on_bytes(sink.tell())
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def settle(part: Path, target: Path, file: ModelFile, origin: str) -> str:
    """Checks a part file and moves it to its place, all or nothing; gives its sha256.

    Raises:
        ModelMissing: the content is not what was expected; the part file is gone.
    """
    digest = sha256_of(part)
    if file.sha256 and digest != file.sha256:
        part.unlink()
        raise ModelMissing(
            f"{file.name} from {origin} has sha256 {digest[:12]}…, not {file.sha256[:12]}…; it was not kept",
            command=f"arcscribe models pull {target.parent.name}",
        )
    with part.open("rb") as stream:
        os.fsync(stream.fileno())
    part.replace(target)
    sync_folder(target.parent)
    return digest


def sync_folder(folder: Path) -> None:
    """Makes the renames in a folder last."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def exclusive_lock(path: Path, on_wait: Callable[[], None]) -> Iterator[None]:
    """Holds the lock for one process at a time; it goes with the process, however that ends."""
    with path.open("a") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            on_wait()
            fcntl.flock(stream, fcntl.LOCK_EX)
        yield


@contextmanager
def storage_errors(root: Path) -> Iterator[None]:
    """Turns what the system says of the store's folder into a line that says what to do."""
    try:
        yield
    except OSError as error:
        if error.filename and not Path(error.filename).is_relative_to(root):
            raise
        if error.errno in _NO_SPACE:
            raise ModelMissing(f"no space is left for the model store {root}") from error
        raise ModelMissing(
            f"the model store {root} cannot be written ({error.strerror});"
            " set ARCSCRIBE_MODELS to a folder that can"
        ) from error
