"""`arcscribe parse`: documents into Markdown or JSON."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from arcscribe.client import Client
from arcscribe.document import MarkdownOptions, PictureMode, TableFormat
from arcscribe.errors import InvalidOption
from arcscribe.events import ParseOptions
from arcscribe.tools.engines import DEFAULT_ENGINE, EmbeddedEngine, local_settings
from arcscribe.tools.errors import one_line_errors
from arcscribe.tools.files import plan_outputs
from arcscribe.tools.jobs import Job, OutputFormat, run_jobs
from arcscribe.tools.local_service import LocalService
from arcscribe.tools.signals import ends_on_signals
from arcscribe.upload import check_readable

SOME_FAILED = 1
TIMEOUT_SECONDS = 3600.0
"""For a document; a batch that nobody waits for may take longer than a call of a service."""


@one_line_errors()
def parse(  # noqa: PLR0913, PLR0917  # one parameter for each option of the command
    files: Annotated[list[Path], typer.Argument(help="PDF, PNG, JPEG, WebP, BMP, GIF or TIFF files.")],
    out: Annotated[
        str, typer.Option("--out", "-o", help="A file, or a FOLDER/. Default: the standard output.")
    ] = "",
    output_format: Annotated[
        OutputFormat, typer.Option("--format", help="Markdown, or JSON with every region.")
    ] = OutputFormat.MD,
    pages: Annotated[str, typer.Option(help="Such as 1-3,7,9-. Default: all pages.")] = "",
    password: Annotated[str, typer.Option(help="For encrypted PDFs.", envvar="ARCSCRIBE_PASSWORD")] = "",
    images: Annotated[
        Path | None, typer.Option(help="A folder for pictures. Default: beside the output.")
    ] = None,
    overlay: Annotated[
        Path | None, typer.Option(help="A folder for pictures of the pages with their regions drawn on them.")
    ] = None,
    engine: Annotated[EmbeddedEngine, typer.Option(help="What reads the regions.")] = DEFAULT_ENGINE,
    server: Annotated[
        str, typer.Option(help="host:port or unix:PATH of a running service; starts none.")
    ] = "",
    tables: Annotated[TableFormat, typer.Option(help="How tables are written.")] = TableFormat.HTML,
    pictures: Annotated[PictureMode, typer.Option(help="What becomes of pictures.")] = PictureMode.LINK,
    dpi: Annotated[int, typer.Option(help="For pages that are drawn, 72 to 600; 0: the default.")] = 0,
    headers_and_footers: Annotated[
        bool, typer.Option("--headers-and-footers", help="Keep headers, footers and page numbers.")
    ] = False,
    page_breaks: Annotated[
        bool, typer.Option("--page-breaks", help="A comment where a page begins.")
    ] = False,
    upright: Annotated[bool, typer.Option("--upright", help="Take every page as upright.")] = False,
    timeout: Annotated[float, typer.Option(help="Seconds for one document.")] = TIMEOUT_SECONDS,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Show what the stages log.")] = False,
) -> None:
    """Turn documents into Markdown or JSON.

    Without --server the three processes are started for this command alone, on Unix sockets.
    """
    if not out and sys.stdout is None:
        raise InvalidOption("the standard output is closed; say --out", field="out")
    for path in files:
        check_readable(path)
    plans = plan_outputs(files, out, images, overlay, f".{output_format}")
    if pictures is not PictureMode.LINK and images is None:
        plans = tuple(replace(plan, pictures=None, picture_links="") for plan in plans)
    options = [
        ParseOptions(
            pages=pages,
            password=password,
            dpi=dpi,
            skip_orientation=upright,
            overlays=overlay is not None,
            markdown=MarkdownOptions(tables, pictures, plan.picture_links, page_breaks, headers_and_footers),
        )
        for plan in plans
    ]
    jobs = [
        Job(source, plan, option, output_format)
        for source, plan, option in zip(files, plans, options, strict=True)
    ]
    with ends_on_signals(), _client(server, engine, timeout, verbose=verbose) as client:
        failed = run_jobs(client, jobs)
    if failed:
        raise typer.Exit(SOME_FAILED)


@contextmanager
def _client(server: str, engine: EmbeddedEngine, timeout: float, *, verbose: bool) -> Iterator[Client]:
    if server:
        with Client(server, timeout_seconds=timeout) as client:
            yield client
        return
    with (
        LocalService(local_settings(engine), verbose=verbose) as service,
        Client(service.address, timeout_seconds=timeout) as client,
    ):
        yield client
