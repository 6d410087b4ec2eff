"""What verifying a converted model found, as a table."""

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from arcscribe.models.verification import Verification, VerifyCheck

_PLAIN_WIDTH = 240
"""Characters: as many as the longest row has."""


def show_verification(verification: Verification) -> None:
    """Prints what was run, and a row for each check; where nobody looks at it, each on one line."""
    console = Console(highlight=False)
    console = console if console.is_terminal else Console(highlight=False, width=_PLAIN_WIDTH)
    console.print(f"{escape(verification.model)} on {escape(verification.device)}", style="bold")
    for name, fact in verification.facts.items():
        console.print(f"  {name}: {escape(fact)}")
    table = Table(box=None, pad_edge=False)
    for title in ("check", "found", "limit", ""):
        table.add_column(title, overflow="fold")
    for check in verification.checks:
        table.add_row(escape(check.name), escape(check.found), escape(check.limit), _outcome(check))
    console.print(table)


def _outcome(check: VerifyCheck) -> Text:
    if check.passed is None:
        return Text("")
    return Text("ok", style="green") if check.passed else Text("FAILS", style="bold red")
