"""Whether the files of models are what they should be, by their hashes."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import typer

from arcscribe.errors import ModelMissing
from arcscribe.models import FileState, ModelStore, pull_command
from arcscribe.models.commands import convert_command
from arcscribe.models.converted import convert_again, converted_states, not_converted, read_converted
from arcscribe.tools.engines import EngineName, choose_engine

States = Mapping[str, FileState]
"""By the file's name."""
VERIFIED = "verified"
"""The state of a file that was hashed just now, and is what it should be."""


def converted_folders(store: ModelStore, given: Sequence[str]) -> dict[str, Path]:
    """Where those of these models lie that are not the catalog's: `parse --model` takes the same.

    What is neither in the store nor a folder is left to the catalog, which refuses it.

    Raises:
        ModelMissing: one could be in the store, and is not.
    """
    others = [name for name in given if name not in {*store.catalog.models, *store.catalog.groups}]
    folders = {
        name: store.root / choose_engine(store, EngineName.PADDLEOCR_VL, name).model for name in others
    }
    for name, folder in folders.items():
        if not folder.is_dir() and (command := convert_command(name)):
            raise ModelMissing(f"{folder} is not there; run: {command}", command=command)
    return {name: folder for name, folder in folders.items() if folder.is_dir()}


def verify_files(store: ModelStore, pulled: Sequence[str], converted: Mapping[str, Path]) -> None:
    """Hashes the files of the catalog's models, and of converted ones in these folders, and prints each.

    Raises:
        InvalidOption: the catalog knows nothing of a name.
        ModelMissing: a file is not what it should be, or a folder holds no converted model.
    """
    bad: list[str] = []
    for name, states in _states(store, pulled, converted):
        for file, state in states.items():
            typer.echo(f"{name}/{file}: {VERIFIED if state is FileState.PRESENT else state}")
        if set(states.values()) - {FileState.PRESENT}:
            bad.append(name)
    if bad:
        command = " && ".join(_mending(store, bad, converted))
        raise ModelMissing(f"not whole: {', '.join(bad)}; run: {command}", command=command)


def verify_store(store: ModelStore) -> None:
    """`verify_files` of all that is in the store. Raises ModelMissing also where that is nothing."""
    pulled, converted = tuple(_begun(store)), {name: store.root / name for name in store.converted_names()}
    if not (pulled or converted):
        raise ModelMissing(f"there is no model in {store.root}; run: {pull_command('embedded', pinned=True)}")
    verify_files(store, pulled, converted)


def _states(
    store: ModelStore, pulled: Sequence[str], converted: Mapping[str, Path]
) -> Iterator[tuple[str, States]]:
    for name in store.catalog.select(pulled):
        yield name, store.verify(name)
    for name, folder in converted.items():
        model = read_converted(folder)
        if model is None:
            raise not_converted(folder)
        yield name, converted_states(folder, model, thorough=True)


def _mending(store: ModelStore, names: Sequence[str], converted: Mapping[str, Path]) -> Iterator[str]:
    """The commands that make these models whole."""
    if pulled := [name for name in names if name not in converted]:
        yield pull_command(" ".join(pulled), pinned=all(store.catalog.model(name).pinned for name in pulled))
    yield from (convert_again(converted[name]) for name in names if name in converted)


def _begun(store: ModelStore) -> Iterator[str]:
    """The catalog's models of which some file is here; a pull that failed may have left but a folder."""
    return (
        name
        for name in store.catalog.models
        if any((store.root / name / file.name).exists() for file in store.files(name))
    )
