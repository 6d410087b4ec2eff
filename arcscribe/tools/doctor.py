"""`arcscribe doctor`: whether this machine can parse documents, and what to do where it cannot."""

import shutil
import sys
from pathlib import Path
from typing import Annotated

import msgspec
import typer
from rich.console import Console
from rich.text import Text

from arcscribe.memory import available_memory
from arcscribe.models import ModelStore
from arcscribe.tools import checks
from arcscribe.tools.checks import Check, Outcome
from arcscribe.tools.errors import one_line_errors


class Report(msgspec.Struct, frozen=True):
    """All checks; `usable` says whether `arcscribe parse` would work."""

    usable: bool
    checks: tuple[Check, ...]


@one_line_errors()
def doctor(
    *, as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False
) -> None:
    """Check this machine: Python, OpenVINO, devices, models, memory, disk."""
    report = examine(ModelStore())
    if as_json:
        typer.echo(msgspec.json.format(msgspec.json.encode(report)).decode())
    else:
        _show(report)
    if not report.usable:
        raise typer.Exit(1)


def examine(store: ModelStore) -> Report:
    """Every check of this machine, with the models of that store."""
    made = (
        checks.check_python(sys.version_info[:3]),
        checks.check_libraries(checks.LIBRARIES),
        *checks.check_openvino(checks.openvino_findings),
        checks.check_embedded_models(store),
        checks.check_layout(store),
        checks.check_vlm(store),
        checks.check_memory(available_memory()),
        checks.check_disk(store, shutil.disk_usage(_existing(store.root)).free),
    )
    return Report(all(check.outcome is not Outcome.ERROR for check in made), made)


def _existing(path: Path) -> Path:
    return next(folder for folder in (path, *path.absolute().parents) if folder.exists())


def _show(report: Report) -> None:
    colours = {"ok": "green", "note": "cyan", "warning": "yellow", "error": "red"}
    console = Console(soft_wrap=True, highlight=False)
    for check in report.checks:
        console.print(
            Text(f"{check.outcome:8}", style=colours[check.outcome]),
            f"{check.name}: {check.found}",
            sep="",
            markup=False,
        )
        if check.remedy:
            console.print(f"          -> {check.remedy}", markup=False)
    console.print("documents can be parsed" if report.usable else "documents cannot be parsed yet")
