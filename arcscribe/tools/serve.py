"""`arcscribe serve`: one stage in this process's place, or all of them with supervision."""

import os
import sys
import threading
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from arcscribe.config import load_settings
from arcscribe.errors import InvalidOption
from arcscribe.tools.engines import (
    DEFAULT_ENGINE,
    Draft,
    EngineChoice,
    EngineName,
    checked,
    local_settings,
)
from arcscribe.tools.errors import one_line_errors
from arcscribe.tools.interrupt import hold_interrupts
from arcscribe.tools.local_service import LocalService, LocalSettings
from arcscribe.tools.signals import ends_on_signals

DEFAULT_ADDRESS = "127.0.0.1:50060"


class Part(StrEnum):
    """What to serve."""

    LAYOUT = "layout"
    VLM = "vlm"
    ORCHESTRATOR = "orchestrator"
    ALL = "all"


RUN_STAGE = "arcscribe.tools.run_stage"
PACKAGES = {Part.LAYOUT: "layout_stage", Part.VLM: "vlm_stage", Part.ORCHESTRATOR: "orchestrator"}


class AllSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The configuration of `serve all`: an address for the parse API, and a table for each process."""

    listen: str = DEFAULT_ADDRESS
    engine: EngineName = EngineName(DEFAULT_ENGINE)
    draft: Draft = Draft.NONE
    layout: dict[str, object] = msgspec.field(default_factory=dict)
    vlm: dict[str, object] = msgspec.field(default_factory=dict)
    orchestrator: dict[str, object] = msgspec.field(default_factory=dict)
    draft_stage: dict[str, object] = msgspec.field(default_factory=dict)


@one_line_errors()
def serve(
    part: Annotated[Part, typer.Argument(help="Which process; `all` starts and supervises them.")],
    config: Annotated[Path | None, typer.Option(help="A TOML file; see deploy/.")] = None,
    listen: Annotated[str, typer.Option(help="host:port or unix:PATH, in place of the file's.")] = "",
    engine: Annotated[EngineName | None, typer.Option(help="With `all`: what reads the regions.")] = None,
) -> None:
    """Serve one stage, or the whole service, until SIGTERM or Ctrl-C."""
    if part is not Part.ALL:
        if engine is not None:
            raise InvalidOption("--engine goes with `serve all`; a stage has its own file", field="engine")
        _become(PACKAGES[part], config, listen)
    settings = load_settings(config, AllSettings)
    address = listen or settings.listen
    _refuse_port_0(address)
    choice = checked(EngineChoice(engine or settings.engine, draft=settings.draft))
    base = LocalSettings(address, settings.layout, settings.vlm, settings.orchestrator, settings.draft_stage)
    _serve_all(local_settings(choice, base))


def _refuse_port_0(address: str) -> None:
    """Health is asked, and a process that died started again, at the address that was told."""
    if not address.startswith("unix:") and address.rpartition(":")[2].strip("0") == "":
        raise InvalidOption(f"{address} names no port; `serve all` needs one that is known", field="listen")


def _become(package: str, config: Path | None, listen: str) -> None:
    arguments = ["--config", str(config)] if config else []
    arguments += ["--listen", listen] if listen else []
    sys.stdout.flush()
    sys.stderr.flush()
    hold_interrupts()
    os.execv(sys.executable, [sys.executable, "-P", "-m", RUN_STAGE, package, *arguments])


def _serve_all(settings: LocalSettings) -> None:
    with ends_on_signals(orderly=True), LocalService(settings, verbose=True, drain=True) as service:
        sys.stderr.write(f"serving at {service.address}\n")
        threading.Event().wait()
