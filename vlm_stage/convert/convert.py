"""A conversion, from top to bottom."""

import shutil
from collections.abc import Callable
from math import prod
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from arcscribe.models import load_catalog
from arcscribe.models.conversion import Converted
from arcscribe.models.converted import FORMAT, MANIFEST, FileHash
from arcscribe.models.files import sha256_of
from arcscribe.models.records import write_record
from vlm_stage.convert.checkpoint import Checkpoint, open_checkpoint
from vlm_stage.convert.new_folder import check_space, check_target, new_folder
from vlm_stage.convert.provenance import (
    PUBLISHED,
    Origin,
    hash_files,
    identify,
    source_files,
    tool_versions,
    version_of_name,
)
from vlm_stage.convert.request import Request
from vlm_stage.convert.tensors import network_tensors
from vlm_stage.convert.validate import check_numbers, check_parameters
from vlm_stage.engines.paddleocr_vl.conversion.calibrate import find_pictures
from vlm_stage.engines.paddleocr_vl.conversion.compress import load_nncf
from vlm_stage.engines.paddleocr_vl.conversion.write import NetworkSources, write_networks
from vlm_stage.engines.paddleocr_vl.graphs.layers import Weights
from vlm_stage.engines.paddleocr_vl.manifest import TOKENIZER, Manifest, NetworkPrecision, Precisions
from vlm_stage.progress import Report

COPIED = (TOKENIZER, "generation_config.json", "preprocessor_config.json")
"""Files that are kept as they were: the engine reads the first, other programs may want the others."""

FLOAT_BYTES = {NetworkPrecision.FP32: 4.0, NetworkPrecision.FP16: 2.0}
"""Of a weight."""
INTEGER_BYTES = 1.05
"""Of a weight in INT8, with its share of scales; INT4 takes less."""


def convert(request: Request, report: Report) -> Converted:
    """Converts a checkpoint; the folder that it makes appears whole or not at all.

    Raises:
        InvalidOption: the options do not go together, what is to be converted is not a PaddleOCR-VL, or
            something else is where the result is to go.
        ModelMissing: the checkpoint is not whole, nncf is needed and not installed, or the result cannot be
            written.
    """
    precisions = request.precisions()
    pictures = find_pictures(request.pictures) if request.pictures else ()
    check_target(request.out, force=request.force)
    if NetworkPrecision.INT8 in (precisions.embeddings, precisions.vision):
        load_nncf()
    checkpoint = open_checkpoint(request.checkpoint, version_of_name(request.name))
    check_space(request.out, _estimate(checkpoint, precisions))
    origin = _look_through(request, checkpoint, precisions, report)
    with new_folder(request.out) as folder:
        weights = _reported(checkpoint, report)
        sources = NetworkSources(checkpoint.config, weights, precisions, checkpoint.images, pictures)
        write_networks(folder, sources, report)
        _copy_files(checkpoint.folder, folder)
        files = _recorded(folder, report)
        _write_manifest(folder, _manifest(checkpoint, origin, sources, files))
    return Converted(str(request.out), sum(file.bytes for file in files), checkpoint.parameters)


def _look_through(request: Request, checkpoint: Checkpoint, precisions: Precisions, report: Report) -> Origin:
    """Reads all of a checkpoint once: are the weights numbers, and whose are they?"""
    if request.name:
        check_parameters(request.name, checkpoint.parameters)
    float16 = NetworkPrecision.FP16 in msgspec.structs.astuple(precisions)
    check_numbers(checkpoint.folder, checkpoint.weights, report, float16=float16)
    sources = hash_files(source_files(checkpoint.folder, checkpoint.weights.files), report)
    origin = identify(request.name, sources, load_catalog())
    if origin.name in PUBLISHED:
        check_parameters(origin.name, checkpoint.parameters)
    return origin


def _manifest(
    checkpoint: Checkpoint, origin: Origin, sources: NetworkSources, files: tuple[FileHash, ...]
) -> Manifest:
    return Manifest(
        format=FORMAT,
        name=origin.name,
        version=origin.version,
        precisions=sources.precisions,
        parameters=checkpoint.parameters,
        config=checkpoint.config,
        template=checkpoint.template,
        images=checkpoint.images,
        sources=origin.sources,
        tools=tool_versions(),
        pictures=len(sources.pictures),
        files=files,
    )


def _estimate(checkpoint: Checkpoint, precisions: Precisions) -> int:
    """About how many bytes the result takes; more rather than less."""
    size = 0.0
    for network, tensors in network_tensors(checkpoint.config).items():
        each = FLOAT_BYTES.get(getattr(precisions, network), INTEGER_BYTES)
        size += each * sum(map(prod, tensors.values()))
    return round(size)


def _reported(checkpoint: Checkpoint, report: Report) -> Callable[[str], Weights]:
    """Weights for each network that report how many of them have been read."""
    networks = network_tensors(checkpoint.config)

    def weights_of(network: str) -> Weights:
        left = networks[network].copy()
        total = sum(map(prod, left.values()))

        def read(name: str) -> NDArray[np.float32]:
            left.pop(name, None)
            report(f"build {network}", 1 - sum(map(prod, left.values())) / total)
            return checkpoint.weights(name)

        return read

    return weights_of


def _copy_files(checkpoint: Path, folder: Path) -> None:
    for name in COPIED:
        if (checkpoint / name).is_file():
            shutil.copyfile(checkpoint / name, folder / name)


def _recorded(folder: Path, report: Report) -> tuple[FileHash, ...]:
    """The hashes of the files made, each also recorded as the store does, so that a start is fast."""
    paths = sorted(folder.iterdir())
    hashes: list[FileHash] = []
    for index, path in enumerate(paths):
        digest = sha256_of(path)
        write_record(path, digest)
        hashes.append(FileHash(path.name, path.stat().st_size, digest))
        report("hash result", (index + 1) / len(paths))
    return tuple(hashes)


def _write_manifest(folder: Path, manifest: Manifest) -> None:
    """With a record of its own, since no other file holds its hash."""
    content = msgspec.json.format(msgspec.json.encode(manifest))
    path = folder / MANIFEST
    path.write_bytes(content + b"\n")
    write_record(path, sha256_of(path))
