"""`arcscribe models`: what models there are, bringing and removing them; the rest has its own modules."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from arcscribe.errors import ModelMissing
from arcscribe.models import FileState, Hub, Model, ModelStore, PullOptions, pull_command
from arcscribe.models.commands import convert_folder_command
from arcscribe.models.converted import CHECKPOINT_CONFIG, convert_again, converted_states, has_other_format
from arcscribe.models.state import file_state
from arcscribe.tools.convert import CONVERTIBLE, convert
from arcscribe.tools.errors import one_line_errors
from arcscribe.tools.pull_progress import PullProgress
from arcscribe.tools.verify import verify

app = typer.Typer(
    help="The models: list, pull, convert, verify and remove them.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)

_PLAIN_WIDTH = 300
"""Characters: more than the longest row of the table has."""

CONVERTED = "document VLM, converted"

Names = Annotated[list[str] | None, typer.Argument(help="Models or groups of models.", show_default=False)]


@app.command("list")
@one_line_errors()
def list_models() -> None:
    """Show every model, its licence and source, and whether it is here."""
    store, console = ModelStore(), _console()
    table = Table(box=None, pad_edge=False)
    table.add_column("model", no_wrap=True)
    for title in ("role", "size", "licence", "source", "state"):
        table.add_column(title, overflow="fold")
    for name, model in store.catalog.models.items():
        table.add_row(name, model.role, _size(model), model.licence, str(model.source), _state(store, name))
    for name in store.converted_names():
        table.add_row(*map(escape, (name, *_converted_row(store, name))))
    console.print(table)
    console.print()
    for group, names in store.catalog.groups.items():
        console.print(f"group {group}: {', '.join(names)}", highlight=False)
    console.print(
        "unpinned: no hash is known in advance; it is recorded at the first download and checked after",
        highlight=False,
    )
    console.print(f"store: {escape(str(store.root))}", highlight=False)


@app.command()
@one_line_errors()
def pull(
    names: Names = None,
    *,
    offline: Annotated[bool, typer.Option(help="Never ask the network.")] = False,
    hub: Annotated[Hub, typer.Option(help="Where to get what no wheel has.")] = Hub.HUGGING_FACE,
    folder: Annotated[
        Path | None,
        typer.Option("--from", help="Take the files from this folder instead.", show_default=False),
    ] = None,
    allow_unpinned: Annotated[
        bool,
        typer.Option("--allow-unpinned", help="Trust the first download of a file whose hash is not known."),
    ] = False,
) -> None:
    """Bring models here; without names the embedded ones, which are all that parsing needs."""
    store, wanted = ModelStore(), names or ["embedded"]
    options = PullOptions(offline=offline, allow_unpinned=allow_unpinned, hub=hub, folder=folder)
    with _other_checkpoints(folder), PullProgress() as progress:
        pulled = store.pull(wanted, options, progress)
    there = len(store.catalog.select(wanted)) - len(pulled)
    typer.echo(f"{len(pulled)} pulled, {there} already there; store: {store.root}")
    for name in pulled:
        if store.catalog.model(name).role == CONVERTIBLE:
            typer.echo(f"next, run: arcscribe models convert {name}")


@app.command()
@one_line_errors()
def remove(
    names: Annotated[list[str], typer.Argument(help="Models or groups of models.", show_default=False)],
) -> None:
    """Remove models from the store, without asking. What was pulled can be pulled again."""
    for name, freed in ModelStore().remove(names).items():
        typer.echo(f"{name} removed: {freed / 1e6:,.1f} MB freed")


app.command()(convert)


app.command()(verify)


@contextmanager
def _other_checkpoints(folder: Path | None) -> Iterator[None]:
    """Where a pull from a folder fails, and that holds a checkpoint, says how it is used nevertheless."""
    try:
        yield
    except ModelMissing as error:
        if folder is None or not (folder / CHECKPOINT_CONFIG).is_file():
            raise
        command = convert_folder_command(folder)
        told = f"{error.message}; a checkpoint of your own needs no pull: {command}"
        raise ModelMissing(told, command=command) from error


def _console() -> Console:
    """Where nobody looks at it, a table is as wide as it needs to be, so that each model stays on a line."""
    console = Console()
    return console if console.is_terminal else Console(width=_PLAIN_WIDTH)


def _converted_row(store: ModelStore, name: str) -> tuple[str, str, str, str, str]:
    """Role, size, licence, source and state."""
    try:
        model = store.converted(name)
    except ModelMissing:
        state = "other format" if has_other_format(store.root / name) else FileState.DAMAGED
        return CONVERTED, "?", "?", "?", f"{state}; run: {convert_again(store.root / name)}"
    origin = store.catalog.models.get(model.name)
    folder = store.root / name
    states = set(converted_states(folder, model, thorough=False).values())
    return (
        CONVERTED,
        f"{model.bytes / 1e6:,.1f} MB",
        origin.licence if origin else "its checkpoint's",
        f"{model.name} ({model.version})",
        "present" if states == {FileState.PRESENT} else f"{FileState.DAMAGED}; run: {convert_again(folder)}",
    )


def _size(model: Model) -> str:
    return f"{model.bytes / 1e6:,.1f} MB" if model.bytes else "?"


def _state(store: ModelStore, name: str) -> str:
    model, files = store.catalog.model(name), store.files(name)
    states = {file_state(store.root / name / file.name, file) for file in files}
    if states == {FileState.PRESENT}:
        return "present" if model.pinned else "present (unpinned)"
    if states == {FileState.MISSING}:
        return "absent" if model.pinned else "absent, unpinned"
    worst = FileState.DAMAGED if FileState.DAMAGED in states else "incomplete"
    return f"{worst}; run: {pull_command(name, pinned=model.pinned)}"
