"""`arcscribe layout`: the regions of documents, found and not read."""

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from enum import StrEnum
from typing import Annotated

import typer

from arcscribe.async_client import AccessOptions, Parsed
from arcscribe.client import Client
from arcscribe.errors import InvalidOption
from arcscribe.events import ParseOptions
from arcscribe.models import ModelStore
from arcscribe.tools.access import access_options
from arcscribe.tools.errors import one_line_errors
from arcscribe.tools.files import plan_outputs
from arcscribe.tools.jobs import Job, run_jobs
from arcscribe.tools.layout_models import layout_settings, refuse_for_server
from arcscribe.tools.layout_text import to_text
from arcscribe.tools.local_service import LocalService, LocalSettings
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
from arcscribe.tools.parse import SOME_FAILED, TIMEOUT_SECONDS
from arcscribe.tools.signals import ends_on_signals
from arcscribe.upload import check_readable


class LayoutFormat(StrEnum):
    """What is written for a document."""

    TXT = "txt"
    JSON = "json"


RENDER = {LayoutFormat.TXT: to_text, LayoutFormat.JSON: Parsed.to_json}


@one_line_errors()
def layout(  # noqa: PLR0913, PLR0917  # one parameter for each option of the command
    files: Files,
    out: Out = "",
    output_format: Annotated[
        LayoutFormat, typer.Option("--format", help="A table, or JSON with every region and line.")
    ] = LayoutFormat.TXT,
    overlay: Overlay = None,
    pages: Pages = "",
    password: Password = "",
    layout_model: LayoutModel = "",
    block_model: BlockModel = "",
    server: Server = "",
    tls_ca: ServerCa = None,
    tls_cert: Certificate = None,
    tls_key: CertificateKey = None,
    token_file: TokenFile = None,
    dpi: Dpi = 0,
    upright: Upright = False,
    timeout: Timeout = TIMEOUT_SECONDS,
    verbose: Verbose = False,
) -> None:
    """Find the regions of documents, and do not read them.

    To look at what a layout model makes of pages. Without --server the processes are started for this command
    alone, on Unix sockets.
    """
    if not out and sys.stdout is None:
        raise InvalidOption("the standard output is closed; say --out", field="out")
    refuse_for_server(server, layout_model, block_model)
    access = access_options(server, tls_ca, tls_cert, tls_key, token_file)
    for path in files:
        check_readable(path)
    plans = plan_outputs(files, out, None, overlay, f".{output_format}")
    options = ParseOptions(
        pages=pages,
        password=password,
        dpi=dpi,
        skip_orientation=upright,
        overlays=overlay is not None,
        layout_only=True,
    )
    render = RENDER[output_format]
    jobs = [Job(source, plan, options, render) for source, plan in zip(files, plans, strict=True)]
    settings = LocalSettings(layout=layout_settings(ModelStore(), layout_model, block_model), vlm=None)
    with ends_on_signals(), _client(server, access, settings, timeout, verbose=verbose) as client:
        if run_jobs(client, jobs):
            raise typer.Exit(SOME_FAILED)


@contextmanager
def _client(
    server: str, access: AccessOptions, settings: LocalSettings, timeout: float, *, verbose: bool
) -> Iterator[Client]:
    with ExitStack() as running:
        if not server:
            server = running.enter_context(LocalService(settings, verbose=verbose)).address
        yield running.enter_context(Client(server, timeout_seconds=timeout, **access))
