"""`arcscribe serve`: one stage in this process's place, or all of them with supervision."""

import os
import sys
import threading
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from arcscribe.config import load_settings
from arcscribe.errors import InvalidOption
from arcscribe.models import ModelStore
from arcscribe.tools.engines import (
    DEFAULT_ENGINE,
    Draft,
    EngineChoice,
    EngineName,
    checked,
    local_settings,
    served_engines,
)
from arcscribe.tools.errors import one_line_errors
from arcscribe.tools.interrupt import hold_interrupts
from arcscribe.tools.layout_models import layout_settings
from arcscribe.tools.local_service import LocalService, LocalSettings
from arcscribe.tools.signals import ends_on_signals

DEFAULT_ADDRESS = "127.0.0.1:50060"


Table = Mapping[str, object]


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
    model: Annotated[
        str, typer.Option(help="With `all`: a converted model for paddleocr-vl, a name or a folder.")
    ] = "",
    layout_model: Annotated[
        str, typer.Option(help="With `all`: a layout model, a catalog name or a folder.")
    ] = "",
    block_model: Annotated[
        str, typer.Option(help="With `all`: a model of blocks, for layout models that predict no order.")
    ] = "",
) -> None:
    """Serve one stage, or the whole service, until SIGTERM or Ctrl-C."""
    if part is not Part.ALL:
        if engine or model or layout_model or block_model:
            options = "--engine, --model, --layout-model and --block-model"
            raise InvalidOption(f"{options} go with `serve all`; a stage has its own file", field="engine")
        _become(PACKAGES[part], config, listen)
    settings = load_settings(config, AllSettings)
    address = listen or settings.listen
    _refuse_port_0(address)
    engine = engine or (EngineName.PADDLEOCR_VL if model else settings.engine)
    choice = checked(EngineChoice(engine, model, draft=settings.draft))
    layout = _with_layout_models(settings.layout, layout_model, block_model)
    vlm = _with_model(settings.vlm, model)
    base = LocalSettings(address, layout, vlm, settings.orchestrator, settings.draft_stage)
    _serve_all(local_settings(choice, base))


def _with_layout_models(layout: Table, model: str, block_model: str) -> Table:
    """The layout stage's table, in which the command's models replace the file's."""
    if not (model or block_model):
        return layout
    root = str(layout.get("models", ""))
    store = ModelStore(Path(root) if root else None)
    return {**layout, **layout_settings(store, model or str(layout.get("model", "")), block_model)}


def _with_model(vlm: Table, model: str) -> Table:
    """The VLM stage's table, in which the command's model replaces the file's."""
    if not model:
        return vlm
    own = vlm.get("paddleocr_vl", {})
    return {**vlm, "paddleocr_vl": {**(own if isinstance(own, Mapping) else {}), "model": model}}


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
        sys.stderr.write(f"serving at {service.address}: {served_engines(settings)}\n")
        threading.Event().wait()
