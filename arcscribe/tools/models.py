"""`arcscribe models`: what models there are, and bringing them here; the rest has modules of its own."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from arcscribe.errors import ModelMissing
from arcscribe.models import FileState, Hub, Model, ModelStore, PullOptions, pull_command
from arcscribe.models.converted import CONVERT_AGAIN, converted_states, has_other_format
from arcscribe.models.state import file_state
from arcscribe.tools.convert import convert
from arcscribe.tools.errors import one_line_errors
from arcscribe.tools.pull_progress import PullProgress
from arcscribe.tools.verify import verify

app = typer.Typer(
    help="The models: list, pull, convert and verify them.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)

_PLAIN_WIDTH = 200
"""Characters: as many as the longest row of the table has."""

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
    with PullProgress() as progress:
        pulled = store.pull(wanted, options, progress)
    there = len(store.catalog.select(wanted)) - len(pulled)
    typer.echo(f"{len(pulled)} pulled, {there} already there; store: {store.root}")


app.command()(convert)


app.command()(verify)


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
        return CONVERTED, "?", "?", "?", f"{state}; run: {CONVERT_AGAIN}"
    origin = store.catalog.models.get(model.name)
    states = set(converted_states(store.root / name, model, thorough=False).values())
    return (
        CONVERTED,
        f"{model.bytes / 1e6:,.1f} MB",
        origin.licence if origin else "its checkpoint's",
        f"{model.name} ({model.version})",
        "present" if states == {FileState.PRESENT} else f"{FileState.DAMAGED}; run: {CONVERT_AGAIN}",
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
