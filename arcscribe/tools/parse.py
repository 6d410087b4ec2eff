"""`arcscribe parse`: documents into Markdown or JSON."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from arcscribe.async_client import Parsed, check_readable, collect
from arcscribe.client import Client
from arcscribe.document import MarkdownOptions, PictureMode, TableFormat
from arcscribe.errors import ArcscribeError, InvalidOption
from arcscribe.events import ParseOptions
from arcscribe.tools.engines import DEFAULT_ENGINE, EmbeddedEngine, local_settings
from arcscribe.tools.errors import in_words, one_line_errors
from arcscribe.tools.files import OutputPaths, plan_outputs, write_atomically
from arcscribe.tools.local_service import LocalService
from arcscribe.tools.parse_progress import ParseProgress
from arcscribe.tools.signals import ends_on_signals

SOME_FAILED = 1


class OutputFormat(StrEnum):
    MD = "md"
    JSON = "json"


@dataclass(frozen=True, slots=True)
class _Job:
    """One document, how it is parsed, and where its results go."""

    source: Path
    outputs: OutputPaths
    options: ParseOptions
    format: OutputFormat


@one_line_errors()
def parse(  # noqa: PLR0913, PLR0917  # one parameter for each option of the command
    files: Annotated[list[Path], typer.Argument(help="PDF, PNG, JPEG, WebP, BMP, GIF or TIFF files.")],
    out: Annotated[
        str, typer.Option("--out", "-o", help="A file, or a FOLDER/. Default: the standard output.")
    ] = "",
    output_format: Annotated[
        OutputFormat, typer.Option("--format", help="Markdown, or JSON with every region.")
    ] = (OutputFormat.MD),
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
    timeout: Annotated[float, typer.Option(help="Seconds for one document.")] = 3600.0,
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
        _Job(source, plan, option, output_format)
        for source, plan, option in zip(files, plans, options, strict=True)
    ]
    with ends_on_signals(), _client(server, engine, timeout, verbose=verbose) as client:
        failed = _run(client, jobs)
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


def _run(client: Client, jobs: Sequence[_Job]) -> int:
    """Parses one document after the other, and tells how many failed."""
    failed = 0
    for job in jobs:
        try:
            parsed = _parse(client, job)
            _write(job, parsed)
        except BrokenPipeError:
            raise  # nobody reads the standard output any more
        except (ArcscribeError, OSError) as error:
            failed += 1
            message = " ".join(in_words(error).split())
            _say(f"error: {message}" if job.source.name in message else f"error: {job.source}: {message}")
        else:
            _say(summary(job.source.name, parsed))
    return failed


def _parse(client: Client, job: _Job) -> Parsed:
    with ParseProgress(job.source.name) as progress:
        events = [progress.saw(event) for event in client.stream(job.source, job.options)]
    return collect(events, job.source.name)


def _write(job: _Job, parsed: Parsed) -> None:
    outputs = job.outputs
    if outputs.pictures is not None:
        for picture in parsed.pictures:
            write_atomically(outputs.pictures / picture.name, picture.data)
    if outputs.overlays is not None:
        for number, overlay in parsed.overlays:
            write_atomically(outputs.overlays / f"{job.source.stem}-page-{number:04}.jpg", overlay)
    result = parsed.to_json() if job.format is OutputFormat.JSON else parsed.markdown.encode()
    if outputs.result is not None:
        write_atomically(outputs.result, result)
    else:
        typer.echo(result, nl=not result.endswith(b"\n"))


def summary(name: str, parsed: Parsed) -> str:
    """One line on what was found, and on what was not read."""
    document, lines = parsed.document, parsed.assembled.total
    blocks = [block for page in document.pages for block in page.blocks]
    counts: dict[str, Any] = {
        "pages": len(document.pages),
        "regions": len(blocks),
        "text lines": lines.found,
        "pages failed": sum(page.failure is not None for page in document.pages),
        "regions failed": sum(hasattr(block.result, "reason") for block in blocks),
        "lines lost": lines.lost,
    }
    shown = ", ".join(f"{count} {what}" for what, count in counts.items() if count or what == "pages")
    return f"{name}: {shown}, {parsed.milliseconds / 1000:.1f} s"


def _say(line: str) -> None:
    typer.echo(line, err=True)
