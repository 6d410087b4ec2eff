"""`arcscribe models verify`: whether what is in the store is what it should be."""

from collections.abc import Iterator
from typing import Annotated

import typer

from arcscribe.errors import ModelMissing
from arcscribe.models import FileState, ModelStore, pull_command
from arcscribe.models.converted import CONVERT_AGAIN
from arcscribe.tools.errors import one_line_errors

Names = Annotated[list[str] | None, typer.Argument(help="Models or groups of models.", show_default=False)]


@one_line_errors()
def verify(names: Names = None) -> None:
    """Hash every file of these models, or of all models that are here, and compare."""
    store = ModelStore()
    chosen = _chosen(store, names) if names else _begun(store)
    if not chosen:
        raise ModelMissing(f"there is no model in {store.root}; run: {pull_command('embedded', pinned=True)}")
    bad: list[str] = []
    for name in chosen:
        for file, state in store.verify(name).items():
            typer.echo(f"{name}/{file}: {state}")
            if state is not FileState.PRESENT and name not in bad:
                bad.append(name)
    if bad:
        command = " && ".join(_mending(store, bad))
        raise ModelMissing(f"not whole: {', '.join(bad)}; run: {command}", command=command)


def _chosen(store: ModelStore, names: list[str]) -> tuple[str, ...]:
    """The models that these names stand for, converted ones among them."""
    converted = store.converted_names()
    known = [name for name in names if name not in converted]
    return (*store.catalog.select(known), *(name for name in names if name in converted))


def _mending(store: ModelStore, names: list[str]) -> Iterator[str]:
    """The commands that make these models whole."""
    converted = store.converted_names()
    if pulled := [name for name in names if name not in converted]:
        yield pull_command(" ".join(pulled), pinned=all(store.catalog.model(name).pinned for name in pulled))
    if any(name in converted for name in names):
        yield CONVERT_AGAIN


def _begun(store: ModelStore) -> tuple[str, ...]:
    """The models of which some file is here; a pull that failed may have left no more than a folder."""
    pulled = (
        name
        for name in store.catalog.models
        if any((store.root / name / file.name).exists() for file in store.files(name))
    )
    return (*pulled, *store.converted_names())
