"""`arcscribe models verify`: whether what is in the store is what it should be, and computes as it should."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from arcscribe.errors import InvalidOption, ModelMissing
from arcscribe.models import FileState, ModelStore, pull_command
from arcscribe.models.converted import CONVERT_AGAIN
from arcscribe.models.verification import Verification, VerifyEvent
from arcscribe.tools.errors import one_line_errors
from arcscribe.tools.signals import ends_on_signals
from arcscribe.tools.verify_report import show_verification
from arcscribe.tools.work_progress import WorkProgress
from arcscribe.tools.worker_process import worker_events

MODULE = "vlm_stage.verify"

Names = Annotated[list[str] | None, typer.Argument(help="Models or groups of models.", show_default=False)]


class KvPrecision(StrEnum):
    """What keys and values are kept in."""

    F32 = "f32"
    F16 = "f16"
    U8 = "u8"


class Precision(StrEnum):
    """What a network computes in."""

    F32 = "f32"
    F16 = "f16"
    BF16 = "bf16"


@one_line_errors()
def verify(
    names: Names = None,
    *,
    device: Annotated[
        str, typer.Option(help="Run converted models on it: CPU, GPU, GPU.1; without it, on the CPU.")
    ] = "",
    images: Annotated[
        Path | None, typer.Option(help="Read the pictures of this folder.", show_default=False)
    ] = None,
    checkpoint: Annotated[
        Path | None,
        typer.Option(help="The folder that the model was converted from.", show_default=False),
    ] = None,
    steps: Annotated[int, typer.Option(min=1, max=4096, help="Tokens of each picture.")] = 64,
    kv_precision: Annotated[
        KvPrecision | None,
        typer.Option(help="Of the KV cache, in place of the device's own.", show_default=False),
    ] = None,
    vision_precision: Annotated[
        Precision | None,
        typer.Option(help="In which pictures are encoded, in place of the device's own.", show_default=False),
    ] = None,
) -> None:
    """Hash the files of these models, or of all that are here; run converted ones that are named."""
    store = ModelStore()
    arguments = ["--device", device or "CPU", "--steps", str(steps)]
    given = {
        "--images": images,
        "--checkpoint": checkpoint,
        "--kv-precision": kv_precision,
        "--vision-precision": vision_precision,
    }
    arguments += [
        part for option, value in given.items() if value is not None for part in (option, str(value))
    ]
    converted = [name for name in names or () if name in store.converted_names()]
    if not converted and (device or any(value is not None for value in given.values())):
        raise InvalidOption("name a converted model to run it; the others are only hashed", field="device")
    _verify_files(store, names)
    for name in converted:
        _verify_converted(store.root / name, arguments)


def _verify_converted(folder: Path, arguments: Sequence[str]) -> None:
    """Runs a model, and shows the report.

    Raises:
        ModelMissing: it cannot be run, or a check failed.
    """
    report = None
    events = worker_events(MODULE, [str(folder), *arguments], msgspec.json.Decoder(VerifyEvent))
    try:
        with ends_on_signals(), WorkProgress() as progress, closing(events):
            for event in events:
                if isinstance(event, Verification):
                    report = event
                else:
                    progress(event)
    finally:
        if report:
            show_verification(report)


def _verify_files(store: ModelStore, names: list[str] | None) -> None:
    """Raises ModelMissing where a file is not what it should be."""
    chosen = _chosen(store, names) if names else _begun(store)
    if not chosen:
        raise ModelMissing(f"there is no model in {store.root}; run: {pull_command('embedded', pinned=True)}")
    bad: list[str] = []
    for name in chosen:
        for file, state in store.verify(name).items():
            typer.echo(f"{name}/{file}: {state}")
            if state is not FileState.PRESENT and name not in bad:
                bad.append(name)
    if bad:
        command = " && ".join(_mending(store, bad))
        raise ModelMissing(f"not whole: {', '.join(bad)}; run: {command}", command=command)


def _chosen(store: ModelStore, names: list[str]) -> tuple[str, ...]:
    """The models that these names stand for, converted ones among them."""
    converted = store.converted_names()
    known = [name for name in names if name not in converted]
    return (*store.catalog.select(known), *(name for name in names if name in converted))


def _mending(store: ModelStore, names: list[str]) -> Iterator[str]:
    """The commands that make these models whole."""
    converted = store.converted_names()
    if pulled := [name for name in names if name not in converted]:
        yield pull_command(" ".join(pulled), pinned=all(store.catalog.model(name).pinned for name in pulled))
    if any(name in converted for name in names):
        yield CONVERT_AGAIN


def _begun(store: ModelStore) -> tuple[str, ...]:
    """The models of which some file is here; a pull that failed may have left no more than a folder."""
    pulled = (
        name
        for name in store.catalog.models
        if any((store.root / name / file.name).exists() for file in store.files(name))
    )
    return (*pulled, *store.converted_names())
