"""A folder that appears whole or not at all."""

import errno
import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from arcscribe.errors import InvalidOption, ModelMissing
from arcscribe.models.converted import MANIFEST
from arcscribe.models.files import sync_folder

_NO_SPACE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


def check_target(target: Path, *, force: bool) -> None:
    """Sees that a converted model may be put there.

    Raises:
        InvalidOption: something is there; with `force`, something that is no converted model.
    """
    if not target.exists() or (target.is_dir() and not any(target.iterdir())):
        return
    if not (target / MANIFEST).is_file():
        raise InvalidOption(f"{target} is there, and no converted model; choose another --out", field="out")
    if not force:
        raise InvalidOption(f"{target} is there; --force converts again", field="out")


def check_space(target: Path, needed: int) -> None:
    """Sees that so many bytes will fit.

    Raises:
        ModelMissing: they will not.
    """
    there = next(folder for folder in target.resolve().parents if folder.exists())
    free = shutil.disk_usage(there).free
    if free < needed:
        raise ModelMissing(
            f"{there} has {free / 1e9:.1f} GB free, and the model takes {needed / 1e9:.1f} GB;"
            " make room, or choose another --out"
        )


@contextmanager
def new_folder(target: Path) -> Iterator[Path]:
    """A hidden folder beside the target, which takes the target's place if the body succeeds, or goes.

    What a killed process left there is removed first. What was at the target goes when the new is in place.

    Raises:
        InvalidOption: another process writes there.
        ModelMissing: the place cannot be written, or the disk is full.
    """
    target = target.resolve()  # a link stays, and what it points to is replaced
    part = target.with_name(f".{target.name}.part")
    with _storage_errors(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        with _locked(part):
            try:
                _empty(part)
                yield part
                _sync(part)
                _swap(part, target)
            except BaseException:
                shutil.rmtree(part, ignore_errors=True)
                raise


@contextmanager
def _locked(part: Path) -> Iterator[None]:
    """Holds a lock on the folder itself, which goes with the process, however that ends."""
    part.mkdir(exist_ok=True)
    # A link may have been put there by somebody else, for what it points to to be emptied.
    descriptor = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError as error:
        raise InvalidOption(f"another conversion writes {part}", field="out") from error
    finally:
        os.close(descriptor)


def _empty(folder: Path) -> None:
    for path in folder.iterdir():
        path.unlink()


def _sync(folder: Path) -> None:
    for path in folder.iterdir():
        with path.open("rb") as file:
            os.fsync(file.fileno())
    sync_folder(folder)


def _swap(part: Path, target: Path) -> None:
    old = target.with_name(f".{target.name}.old")
    shutil.rmtree(old, ignore_errors=True)
    if target.exists():
        target.replace(old)
    try:
        part.replace(target)
    except BaseException:
        if old.exists():
            old.replace(target)
        raise
    sync_folder(target.parent)
    shutil.rmtree(old, ignore_errors=True)


@contextmanager
def _storage_errors(target: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.filename and not Path(error.filename).is_relative_to(target.parent):
            raise
        if error.errno in _NO_SPACE:
            raise ModelMissing(f"no space is left for {target}; nothing was kept") from error
        raise ModelMissing(
            f"{target} cannot be written ({error.strerror or error}); choose another --out"
        ) from error
