"""Converted models in the store: folders that `arcscribe models convert` made, and what vouches for them."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import msgspec

from arcscribe.errors import ModelMissing
from arcscribe.models.catalog import ModelFile
from arcscribe.models.commands import again_command, convert_folder_command, named_recipe, recorded_recipe
from arcscribe.models.state import FileState, file_state

FORMAT = 1
"""The number that folders of converted models carry; another one means that they must be converted anew."""

MANIFEST = "arcscribe.json"

CHECKPOINT_CONFIG = "config.json"
"""A file that every checkpoint has, and no converted model."""


class FileHash(msgspec.Struct, frozen=True):
    """A file by name, with its size and the hash of its content."""

    name: str
    bytes: int
    sha256: str


class ConvertedModel(msgspec.Struct, frozen=True):
    """As much of a converted model's manifest as can be told without its engine.

    `precisions` gives each network's, by the network's name.
    """

    format: int
    name: str
    version: str
    precisions: dict[str, str]
    files: tuple[FileHash, ...]

    @property
    def bytes(self) -> int:
        """The size of all its files but the manifest."""
        return sum(file.bytes for file in self.files)


class _Format(msgspec.Struct, frozen=True):
    format: int


def read_converted(folder: Path) -> ConvertedModel | None:
    """The converted model in a folder; None where the folder holds none.

    Raises:
        ModelMissing: its manifest cannot be read, or is of another format.
    """
    path = folder / MANIFEST
    try:
        content = path.read_bytes()
        found = msgspec.json.decode(content, type=_Format).format
        if found == FORMAT:
            return msgspec.json.decode(content, type=ConvertedModel)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise ModelMissing(f"{path} cannot be read: {error.strerror}") from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise unusable(folder, f"{path} is damaged") from error
    raise unusable(folder, f"{path} is of format {found}, and this version reads format {FORMAT}")


class _Made(msgspec.Struct, frozen=True):
    name: str = ""
    precisions: dict[str, str] = {}


def convert_again(folder: Path) -> str:
    """The command that makes a converted model anew, as far as its manifest or its name tell of what.

    Where only its owner knows the checkpoint, a word stands for that.
    """
    with suppress(OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        made = msgspec.json.decode((folder / MANIFEST).read_bytes(), type=_Made)
        if made.precisions:
            return again_command(folder, recorded_recipe(made.name, made.precisions))
    return again_command(folder, named_recipe(folder.name))


def unusable(folder: Path, told: str) -> ModelMissing:
    """Says what is wrong with a converted model, and how it is made anew."""
    command = convert_again(folder)
    return ModelMissing(f"{told}; run: {command}", command=command)


def not_converted(folder: Path) -> ModelMissing:
    """Says of a folder that it holds no converted model, and how one is made if it holds a checkpoint."""
    told = f"{folder} is not a converted model: it has no {MANIFEST}"
    if not (folder / CHECKPOINT_CONFIG).is_file():
        return ModelMissing(told)
    command = convert_folder_command(folder)
    return ModelMissing(f"{told}; to make one of this checkpoint, run: {command}", command=command)


def has_other_format(folder: Path) -> bool:
    """Whether a folder holds a converted model of a format that this version does not read."""
    with suppress(OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return msgspec.json.decode((folder / MANIFEST).read_bytes(), type=_Format).format != FORMAT
    return False


def converted_names(root: Path) -> Iterator[str]:
    """The names of a store's converted models, whole or not, sorted."""
    for path in sorted(root.glob(f"*/{MANIFEST}")):
        if not path.parent.name.startswith("."):
            yield path.parent.name


def converted_states(folder: Path, model: ConvertedModel, *, thorough: bool) -> dict[str, FileState]:
    """The state of each file of a converted model; hashed anew if `thorough`, else as `file_state` says.

    The manifest is among them where there is a record of it: nothing else can vouch for it.
    """
    states = {
        file.name: file_state(
            folder / file.name, ModelFile(file.name, bytes=file.bytes, sha256=file.sha256), thorough=thorough
        )
        for file in model.files
    }
    manifest = manifest_state(folder, thorough=thorough)
    return states if manifest is FileState.UNRECORDED else {MANIFEST: manifest, **states}


def manifest_state(folder: Path, *, thorough: bool = False) -> FileState:
    """Whether a converted model's manifest is what was written; UNRECORDED where a copy left records behind.

    Raises:
        ModelMissing: this user may not read it.
    """
    return file_state(folder / MANIFEST, ModelFile(MANIFEST), thorough=thorough)
