"""`arcscribe layout`: the regions of documents, found and not read."""

from enum import StrEnum
from typing import Annotated

import typer

from arcscribe.async_client import Parsed
from arcscribe.events import ParseOptions
from arcscribe.models import ModelStore
from arcscribe.tools.access import access_options
from arcscribe.tools.connected_client import TIMEOUT_SECONDS, connected_client
from arcscribe.tools.errors import one_line_errors
from arcscribe.tools.files import check_files, plan_outputs
from arcscribe.tools.jobs import SOME_FAILED, Job, run_jobs
from arcscribe.tools.layout_models import layout_settings, refuse_for_server
from arcscribe.tools.layout_text import to_text
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
    refuse_for_server(server, layout_model, block_model)
    access = access_options(server, tls_ca, tls_cert, tls_key, token_file)
    check_files(files, out)
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
    with ends_on_signals(), connected_client(server, access, settings, timeout, verbose=verbose) as client:
        if run_jobs(client, jobs):
            raise typer.Exit(SOME_FAILED)
