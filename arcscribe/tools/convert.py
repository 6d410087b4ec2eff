"""`arcscribe models convert`: a checkpoint into a model that the engine `paddleocr-vl` serves."""

from contextlib import closing
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from arcscribe.errors import InvalidOption
from arcscribe.models import ModelStore
from arcscribe.models.conversion import INTEGERS, TEMPLATES, Converted, ConvertEvent, check_installed
from arcscribe.models.work import WorkStep
from arcscribe.tools.errors import one_line_errors
from arcscribe.tools.signals import ends_on_signals
from arcscribe.tools.work_progress import WorkProgress
from arcscribe.tools.worker_process import worker_events

MODULE = "vlm_stage.convert"

CONVERTIBLE = "document VLM"
"""The role of the catalog's models that can be converted."""


class Precision(StrEnum):
    """How weights are stored."""

    FP32 = "fp32"
    FP16 = "fp16"
    INT8 = "int8"
    INT4 = "int4"


class VisionPrecision(StrEnum):
    """How the vision encoder's weights are stored; INT4 would cost it too much."""

    FP32 = "fp32"
    FP16 = "fp16"
    INT8 = "int8"


@one_line_errors()
def convert(
    checkpoint: Annotated[
        str, typer.Argument(help="A pulled model, such as paddleocr-vl-1.6, or a folder.", show_default=False)
    ],
    *,
    precision: Annotated[Precision, typer.Option(help="How weights are stored.")] = Precision.INT8,
    vision: Annotated[
        VisionPrecision | None,
        typer.Option(help="The vision encoder's, where it is to be another.", show_default=False),
    ] = None,
    calibrate: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="PICTURES",
            help="Pictures, or folders of them, by which the vision encoder gets INT8 arithmetic.",
            show_default=False,
        ),
    ] = None,
    name: Annotated[
        str, typer.Option(help="Its name in the store; else CHECKPOINT-PRECISION.", show_default=False)
    ] = "",
    out: Annotated[
        Path | None, typer.Option(help="Write to this folder, not to the store.", show_default=False)
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a model converted before.")] = False,
) -> None:
    """Turn a PaddleOCR-VL checkpoint into OpenVINO's networks."""
    if out and name:
        raise InvalidOption(
            "--name is for the store, --out for another folder: give one of them", field="out"
        )
    store = ModelStore()
    source, published = _source(store, checkpoint)
    suffix = f"{precision}-calibrated" if calibrate else str(precision)
    target = out or store.root / _checked_name(store, name or f"{published or source.name}-{suffix}")
    _check_packages(precision, vision)
    arguments = [str(source), "--precision", precision, "--out", str(target)]
    arguments += ["--vision", vision] if vision else []
    arguments += ["--name", published] if published else []
    arguments += [part for path in calibrate or () for part in ("--calibrate", str(path))]
    arguments += ["--force"] if force else []
    typer.echo(_summary(target, _run(arguments)))


def _check_packages(precision: Precision, vision: VisionPrecision | None) -> None:
    """Raises ModelMissing without what the conversion's process would import."""
    integers = precision in {Precision.INT8, Precision.INT4} or vision is VisionPrecision.INT8
    check_installed(TEMPLATES, *([INTEGERS] if integers else ()))


def _run(arguments: list[str]) -> Converted:
    done = None
    events = worker_events(MODULE, arguments, msgspec.json.Decoder(ConvertEvent))
    with ends_on_signals(), WorkProgress() as progress, closing(events):
        for event in events:
            if isinstance(event, WorkStep):
                progress(event)
            else:
                done = event
    assert done, "a conversion that does not fail says what it made"
    return done


def _source(store: ModelStore, checkpoint: str) -> tuple[Path, str]:
    """The checkpoint's folder, and its name in the catalog where it was pulled.

    Raises:
        InvalidOption: there is no such model, and no such folder.
        ModelMissing: it has not been pulled, or is not whole.
    """
    if checkpoint in store.catalog.models:
        role = store.catalog.model(checkpoint).role
        if role != CONVERTIBLE:
            raise InvalidOption(f"{checkpoint} is for {role}, and runs as it is", field="checkpoint")
        return store.folder(checkpoint), checkpoint
    folder = Path(checkpoint)
    if not folder.is_dir():
        raise InvalidOption(f"there is no model and no folder {checkpoint!r}", field="checkpoint")
    return folder.resolve(), ""


def _checked_name(store: ModelStore, name: str) -> str:
    """Raises InvalidOption where the store cannot have a converted model of that name."""
    plain = name.isprintable() and name == name.strip() and not name.startswith((".", "-"))
    if Path(name).name != name or not plain:
        raise InvalidOption(f"{name!r} cannot be a model's name; choose one with --name", field="name")
    if name in store.catalog.models or name in store.catalog.groups:
        raise InvalidOption(f"{name} is a name of the catalog; choose another with --name", field="name")
    return name


def _summary(target: Path, done: Converted) -> str:
    size = f"{done.parameters / 1e6:,.1f} M parameters, {done.bytes / 1e6:,.0f} MB"
    return f"{target.name}: {size} in {done.folder}"
