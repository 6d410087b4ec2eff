"""`arcscribe parse`: documents into Markdown or JSON."""

import sys
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.status import Status

from arcscribe.async_client import Parsed
from arcscribe.document import MarkdownOptions, PictureMode, TableFormat
from arcscribe.errors import InvalidOption
from arcscribe.events import ParseOptions
from arcscribe.models import ModelStore
from arcscribe.tools.access import access_options
from arcscribe.tools.connected_client import TIMEOUT_SECONDS, connected_client
from arcscribe.tools.daily import is_first_today
from arcscribe.tools.engines import (
    Draft,
    EngineChoice,
    EngineName,
    choose_engine,
    local_settings,
    missing_vlm,
)
from arcscribe.tools.errors import one_line_errors, printable
from arcscribe.tools.files import check_files, plan_outputs
from arcscribe.tools.jobs import SOME_FAILED, Job, run_jobs
from arcscribe.tools.layout_models import layout_settings, refuse_for_server
from arcscribe.tools.local_service import LocalSettings
from arcscribe.tools.options import (
    BlockModel,
    Certificate,
    CertificateKey,
    Dpi,
    Files,
    LayoutModel,
    Out,
    Overlay,
    Pages,
    Password,
    Server,
    ServerCa,
    Timeout,
    TokenFile,
    Upright,
    Verbose,
)
from arcscribe.tools.signals import ends_on_signals
from arcscribe.types import RecognizeOptions


class OutputFormat(StrEnum):
    """What is written for a document."""

    MD = "md"
    JSON = "json"


@one_line_errors()
def parse(  # noqa: PLR0913, PLR0917  # one parameter for each option of the command
    files: Files,
    out: Out = "",
    output_format: Annotated[
        OutputFormat, typer.Option("--format", help="Markdown, or JSON with every region.")
    ] = OutputFormat.MD,
    pages: Pages = "",
    password: Password = "",
    images: Annotated[
        Path | None, typer.Option(help="A folder for pictures. Default: beside the output.")
    ] = None,
    overlay: Overlay = None,
    engine: Annotated[
        EngineName | None,
        typer.Option(
            help="What reads the regions. Default: paddleocr-vl if a converted model is here, else pp-ocrv6.",
            show_default=False,
        ),
    ] = None,
    model: Annotated[str, typer.Option(help="A converted model for paddleocr-vl: a name or a folder.")] = "",
    device: Annotated[
        list[str] | None,
        typer.Option(help="CPU, GPU, GPU.1; several times for several.", show_default=False),
    ] = None,
    layout_model: LayoutModel = "",
    block_model: BlockModel = "",
    draft: Annotated[Draft, typer.Option(help="What paddleocr-vl gets with a crop of text.")] = Draft.NONE,
    partial: Annotated[
        bool, typer.Option("--partial", help="Tell what is being read, where no terminal shows it.")
    ] = False,
    server: Server = "",
    tls_ca: ServerCa = None,
    tls_cert: Certificate = None,
    tls_key: CertificateKey = None,
    token_file: TokenFile = None,
    tables: Annotated[TableFormat, typer.Option(help="How tables are written.")] = TableFormat.HTML,
    pictures: Annotated[PictureMode, typer.Option(help="What becomes of pictures.")] = PictureMode.LINK,
    dpi: Dpi = 0,
    headers_and_footers: Annotated[
        bool, typer.Option("--headers-and-footers", help="Keep headers, footers and page numbers.")
    ] = False,
    page_breaks: Annotated[
        bool, typer.Option("--page-breaks", help="A comment where a page begins.")
    ] = False,
    upright: Upright = False,
    timeout: Timeout = TIMEOUT_SECONDS,
    verbose: Verbose = False,
) -> None:
    """Turn documents into Markdown or JSON.

    Without --server the processes are started for this command alone, on Unix sockets.
    """
    check_files(files, out)
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
            recognize=RecognizeOptions(partial_text=partial or sys.stderr.isatty()),
            markdown=MarkdownOptions(tables, pictures, plan.picture_links, page_breaks, headers_and_footers),
        )
        for plan in plans
    ]
    render = Parsed.to_json if output_format is OutputFormat.JSON else _markdown
    jobs = [
        Job(source, plan, option, render) for source, plan, option in zip(files, plans, options, strict=True)
    ]
    access = access_options(server, tls_ca, tls_cert, tls_key, token_file)
    store = ModelStore()
    refuse_for_server(server, layout_model, block_model)
    base = LocalSettings(layout=layout_settings(store, layout_model, block_model))
    choice = _choice(store, server, engine, model, device or [], draft)
    if choice and choice.model:
        typer.echo(printable(str(choice)), err=True)
    settings = local_settings(choice, base) if choice else base
    starting = _starting(choice) if choice and sys.stderr.isatty() and not verbose else None
    with (
        ends_on_signals(),
        connected_client(server, access, settings, timeout, verbose=verbose, starting=starting) as client,
    ):
        failed = run_jobs(client, jobs)
    if choice and engine is None and choice.engine is not EngineName.PADDLEOCR_VL and failed < len(jobs):
        _hint_at_vlm(store)
    if failed:
        raise typer.Exit(SOME_FAILED)


def _choice(  # as many as the command has of such options
    store: ModelStore, server: str, engine: EngineName | None, model: str, devices: list[str], draft: Draft
) -> EngineChoice | None:
    """What reads the regions; None where a server does, which was told when it was started."""
    if not server:
        return choose_engine(store, engine, model, devices, draft)
    if engine or model or devices or draft is not Draft.NONE:
        raise InvalidOption("--engine, --model, --device and --draft are not for --server", field="server")
    return None


def _hint_at_vlm(store: ModelStore) -> None:
    """Says once a day how to have the VLM; those who do not want it name an engine, and never hear of it."""
    if is_first_today(store.root / ".vlm-hint"):
        typer.echo(missing_vlm(store), err=True)


def _markdown(parsed: Parsed) -> bytes:
    return parsed.markdown.encode()


def _starting(choice: EngineChoice) -> Status:
    return Console(file=sys.stderr).status(f"starting {choice.engine}")
