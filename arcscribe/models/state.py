"""Whether a file of the store is what it should be."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from enum import StrEnum
from pathlib import Path

from arcscribe.errors import ModelMissing
from arcscribe.models.catalog import Model, ModelFile
from arcscribe.models.files import sha256_of
from arcscribe.models.records import read_record, recorded_names, write_record


class FileState(StrEnum):
    """What a look at a file of the store found."""

    PRESENT = "present"
    MISSING = "missing"
    DAMAGED = "damaged"
    """Its content is not what the catalog, or the record of its first download, says."""
    UNRECORDED = "unrecorded"
    """Neither the catalog nor a record knows its hash, so nobody vouches for it."""


def file_state(path: Path, file: ModelFile, *, thorough: bool = False) -> FileState:
    """The state of a file at its place in the store.

    The file is hashed if it has changed since it was last hashed, or if `thorough`; the outcome is recorded
    where the store may be written.

    Raises:
        ModelMissing: this user may not read the file.
    """
    with _permission(path):
        return _look(path, file, thorough)


def _look(path: Path, file: ModelFile, thorough: bool) -> FileState:
    if not path.is_file():
        return FileState.MISSING
    record = read_record(path)
    expected = file.sha256 or (record.sha256 if record else "")
    if not expected:
        return FileState.UNRECORDED
    if record and record.sha256 == expected and record.matches(path) and not thorough:
        return FileState.PRESENT
    if sha256_of(path) != expected:
        return FileState.DAMAGED
    with suppress(OSError):
        write_record(path, expected)
    return FileState.PRESENT


def stored_files(folder: Path, model: Model) -> tuple[ModelFile, ...]:
    """The files that make up a model: those of the catalog, and those that were pulled with them.

    Raises:
        ModelMissing: this user may not read the folder.
    """
    named = {file.name for file in model.files}
    with _permission(folder):
        recorded = recorded_names(folder)
    return (*model.files, *(ModelFile(name) for name in recorded if name not in named))


def is_complete(folder: Path, model: Model) -> bool:
    """Whether every file of a model is there and whole."""
    files = stored_files(folder, model)
    return all(file_state(folder / file.name, file) is FileState.PRESENT for file in files)


@contextmanager
def _permission(path: Path) -> Iterator[None]:
    try:
        yield
    except PermissionError as error:
        raise ModelMissing(f"{path} may not be read by this user") from error
