"""A converted model: a folder with three networks, a tokenizer, and a manifest that says what they are."""

from enum import StrEnum
from pathlib import Path

import msgspec

from arcscribe.errors import ModelMissing
from arcscribe.models.catalog import ModelFile
from arcscribe.models.converted import (
    FORMAT,
    MANIFEST,
    FileHash,
    manifest_state,
    not_converted,
    unusable,
)
from arcscribe.models.state import FileState, file_state
from vlm_stage.engines.paddleocr_vl.inputs.images import ImageSettings
from vlm_stage.engines.paddleocr_vl.inputs.prompts import ChatTemplate
from vlm_stage.engines.paddleocr_vl.model_config import ModelConfig

VISION = "vision.xml"
EMBEDDINGS = "embeddings.xml"
DECODER = "decoder.xml"
TOKENIZER = "tokenizer.json"

NETWORKS = (VISION, EMBEDDINGS, DECODER)
"""Each has a `.bin` beside it, which holds its weights."""


class NetworkPrecision(StrEnum):
    """How a network's weights are stored, and what they are multiplied in."""

    FP32 = "fp32"
    FP16 = "fp16"
    INT8 = "int8"
    """INT8 weights, one scale for each row; computed in floating point."""
    INT4 = "int4"
    """INT4 weights, one scale for each group of a row, and INT8 for the head; computed in floating point."""
    INT8_CALIBRATED = "int8-calibrated"
    """INT8 weights and activations, whose ranges were seen on pictures."""


class Precisions(msgspec.Struct, frozen=True):
    """The precision of each network."""

    vision: NetworkPrecision
    embeddings: NetworkPrecision
    decoder: NetworkPrecision


class Manifest(msgspec.Struct, frozen=True):
    """What a converted model is and where it comes from.

    `format` is that of the folder. `name` and `version` say which published model it is (`paddleocr-vl-1.6`,
    `1.6`), or `paddleocr-vl` and `unknown`. `parameters` counts the numbers in use. `sources` are the
    checkpoint's files, `tools` the versions of what converted them, `pictures` how many calibrated the vision
    encoder, and `files` all files of the folder but this one.
    """

    format: int
    name: str
    version: str
    precisions: Precisions
    parameters: int
    config: ModelConfig
    template: ChatTemplate
    images: ImageSettings
    sources: tuple[FileHash, ...]
    tools: dict[str, str]
    pictures: int
    files: tuple[FileHash, ...]


class _Format(msgspec.Struct, frozen=True):
    format: int


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a converted model, each of whose files is there with its full length.

    Raises:
        ModelMissing: the folder is not a converted model, or one of another version, or not whole.
    """
    manifest = _decode_manifest(folder)
    for file in manifest.files:
        path = folder / file.name
        found = path.stat().st_size if path.is_file() else None
        if found != file.bytes:
            state = "is not there" if found is None else f"has {found} bytes, not {file.bytes}"
            raise unusable(folder, f"{path} {state}")
    return manifest


def check_files(folder: Path, manifest: Manifest) -> None:
    """Sees that a converted model's files are what they were; those that changed since are hashed anew.

    So is the manifest, unless the folder was copied without its record.

    Raises:
        ModelMissing: one is not.
    """
    if manifest_state(folder) is FileState.DAMAGED:
        raise unusable(folder, f"{folder / MANIFEST} was changed after the conversion")
    for file in manifest.files:
        expected = ModelFile(file.name, bytes=file.bytes, sha256=file.sha256)
        if file_state(folder / file.name, expected) is not FileState.PRESENT:
            raise unusable(folder, f"{folder / file.name} is damaged")


def _decode_manifest(folder: Path) -> Manifest:
    path = folder / MANIFEST
    try:
        text = path.read_bytes()
        found = msgspec.json.decode(text, type=_Format).format
        if found == FORMAT:
            return msgspec.json.decode(text, type=Manifest)
    except FileNotFoundError as error:
        raise not_converted(folder) from error
    except OSError as error:
        raise ModelMissing(f"{path} cannot be read: {error.strerror}") from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise unusable(folder, f"{path} is damaged ({error})") from error
    told = f"{folder} is a converted model of format {found}, and this version reads format {FORMAT}"
    raise unusable(folder, told)
