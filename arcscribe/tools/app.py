"""The `arcscribe` command and its subcommands."""

import sys
from importlib.metadata import version
from typing import Annotated

import typer

from arcscribe.tools import models
from arcscribe.tools.doctor import doctor
from arcscribe.tools.health import health
from arcscribe.tools.layout import layout
from arcscribe.tools.parse import parse
from arcscribe.tools.serve import serve
from arcscribe.tools.token import token

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
app.command()(layout)
app.command()(serve)
app.command()(doctor)
app.command()(health)
app.command()(token)
app.add_typer(models.app, name="models", help="List, pull, convert, verify and remove models.")


def run() -> None:
    """Runs the command: what is wrong with the arguments is one line, and exit status 2."""
    try:
        status = app(standalone_mode=False)
    except typer.Abort:
        raise KeyboardInterrupt from None
    except Exception as error:
        # Typer's own errors; which class they have depends on its version.
        described, status = getattr(error, "format_message", None), getattr(error, "exit_code", None)
        if described is None:
            raise
        if message := " ".join(described().split()):
            typer.echo(f"error: {message} (--help tells more)", err=True)
    sys.exit(status)
