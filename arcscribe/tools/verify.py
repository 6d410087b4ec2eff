"""`arcscribe models verify`: whether what is in the store is what it should be, and computes as it should."""

from collections.abc import Sequence
from contextlib import closing
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from arcscribe.errors import InvalidOption
from arcscribe.models import ModelStore
from arcscribe.models.verification import Verification, VerifyEvent
from arcscribe.tools.errors import one_line_errors
from arcscribe.tools.signals import ends_on_signals
from arcscribe.tools.verify_files import converted_folders, verify_files, verify_store
from arcscribe.tools.verify_report import show_verification
from arcscribe.tools.work_progress import WorkProgress
from arcscribe.tools.worker_process import worker_events

MODULE = "vlm_stage.verify"

Names = Annotated[
    list[str] | None,
    typer.Argument(help="Models, groups of models, or folders of converted models.", show_default=False),
]


class KvPrecision(StrEnum):
    """What keys and values are kept in."""

    F32 = "f32"
    F16 = "f16"
    BF16 = "bf16"
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
    inference_precision: Annotated[
        Precision | None,
        typer.Option(help="What networks compute in, in place of the device's own.", show_default=False),
    ] = None,
    vision_precision: Annotated[
        Precision | None,
        typer.Option(help="The vision encoder's, where it is to be another.", show_default=False),
    ] = None,
    kv_precision: Annotated[
        KvPrecision | None,
        typer.Option(help="Of the KV cache, in place of the device's own.", show_default=False),
    ] = None,
) -> None:
    """Hash the files of these models, or of all that are in the store; run converted ones that are named."""
    given = {
        "--images": images,
        "--checkpoint": checkpoint,
        "--inference-precision": inference_precision,
        "--vision-precision": vision_precision,
        "--kv-precision": kv_precision,
    }
    arguments = ["--device", device or "CPU", "--steps", str(steps)]
    arguments += [
        part for option, value in given.items() if value is not None for part in (option, str(value))
    ]
    store, names = ModelStore(), names or []
    folders = converted_folders(store, names)
    if not folders and (device or any(value is not None for value in given.values())):
        raise InvalidOption("name a converted model to run it; the others are only hashed", field="device")
    if names:
        verify_files(store, [name for name in names if name not in folders], folders)
    else:
        verify_store(store)
    for folder in folders.values():
        _run(folder, arguments)


def _run(folder: Path, arguments: Sequence[str]) -> None:
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
