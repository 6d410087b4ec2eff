"""`arcscribe token`: a new token for a caller."""

from typing import Annotated

import msgspec
import typer

from arcscribe.errors import InvalidOption
from arcscribe.rpc.tokens import Name, hash_of, new_token
from arcscribe.tools.errors import one_line_errors


@one_line_errors()
def token(name: Annotated[str, typer.Argument(help="What logs call the caller.")]) -> None:
    """Print a new random token, once, and the table with its hash for the server's configuration."""
    try:
        msgspec.convert(name, Name)
    except msgspec.ValidationError:
        raise InvalidOption(
            f"{name} is no name for logs: up to 64 letters, digits, '.', '_' and '-'", field="name"
        ) from None
    new = new_token()
    typer.echo(new)
    typer.echo(
        "\nThis is the token; it is not shown again. Give the caller a file of mode 0600 with it, and the"
        f' server this:\n\n[[tokens]]\nname = "{name}"\nsha256 = "{hash_of(new)}"',
        err=True,
    )
