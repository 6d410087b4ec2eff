"""The `arcscribe` command."""

from importlib.metadata import version
from typing import Annotated

import typer

from arcscribe.tools import models
from arcscribe.tools.doctor import doctor
from arcscribe.tools.parse import parse
from arcscribe.tools.serve import serve

app = typer.Typer(
    name="arcscribe",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"arcscribe {version('arcscribe')}")
        raise typer.Exit


@app.callback()
def arcscribe(
    _version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Turn contracts, invoices and reports into Markdown on your own machines."""


app.command()(parse)
app.command()(serve)
app.command()(doctor)
app.add_typer(models.app, name="models", help="List, pull and verify models.")


def main() -> None:
    """The console script's entry."""
    app()
