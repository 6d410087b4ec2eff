"""The options that several commands have: one name, one type and one help text for each."""

from pathlib import Path
from typing import Annotated

import typer

Files = Annotated[list[Path], typer.Argument(help="PDF, PNG, JPEG, WebP, BMP, GIF or TIFF files.")]
Out = Annotated[str, typer.Option("--out", "-o", help="A file, or a FOLDER/. Default: the standard output.")]
Overlay = Annotated[
    Path | None, typer.Option(help="A folder for pictures of the pages with their regions drawn on them.")
]
Pages = Annotated[str, typer.Option(help="Such as 1-3,7,9-. Default: all pages.")]
Password = Annotated[str, typer.Option(help="For encrypted PDFs.", envvar="ARCSCRIBE_PASSWORD")]
LayoutModel = Annotated[
    str, typer.Option(help="A layout model: a catalog name or a folder. Default: layout-cdla.")
]
BlockModel = Annotated[str, typer.Option(help="A model of blocks, for layout models that predict no order.")]
Server = Annotated[str, typer.Option(help="host:port or unix:PATH of a running service; starts none.")]
ServerCa = Annotated[
    Path | None, typer.Option(help="With --server: TLS, and the CA of its certificate, in PEM.")
]
Certificate = Annotated[Path | None, typer.Option(help="Our own certificate, for mutual TLS.")]
CertificateKey = Annotated[Path | None, typer.Option(help="Its key.")]
TokenFile = Annotated[
    Path | None, typer.Option(help="A file with the token for --server. Default: ARCSCRIBE_TOKEN.")
]
Dpi = Annotated[int, typer.Option(help="For pages that are drawn, 72 to 600; 0: the default.")]
Upright = Annotated[bool, typer.Option("--upright", help="Take every page as upright.")]
Timeout = Annotated[float, typer.Option(help="Seconds for one document.")]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Show what the stages log.")]
