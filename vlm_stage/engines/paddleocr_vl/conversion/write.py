"""Building, compressing and saving the three networks, one after the other."""

import errno
import os
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import openvino as ov

from vlm_stage.engines.paddleocr_vl.conversion.calibrate import calibrated
from vlm_stage.engines.paddleocr_vl.conversion.compress import compressed
from vlm_stage.engines.paddleocr_vl.graphs.decoder import build_decoder
from vlm_stage.engines.paddleocr_vl.graphs.embeddings import build_embeddings
from vlm_stage.engines.paddleocr_vl.graphs.layers import Weights
from vlm_stage.engines.paddleocr_vl.graphs.vision import build_vision
from vlm_stage.engines.paddleocr_vl.inputs.images import ImageSettings
from vlm_stage.engines.paddleocr_vl.manifest import (
    DECODER,
    EMBEDDINGS,
    VISION,
    NetworkPrecision,
    Precisions,
)
from vlm_stage.engines.paddleocr_vl.model_config import ModelConfig
from vlm_stage.progress import Report

_LITTLE = 1 << 20
"""Bytes; a disk with less is full."""


@dataclass(frozen=True, slots=True)
class NetworkSources:
    """What the networks are made from, and how.

    `weights` gives the weights for a network by its name, its file's without the suffix. `pictures` calibrate
    the vision encoder, where that is asked for.
    """

    config: ModelConfig
    weights: Callable[[str], Weights]
    precisions: Precisions
    images: ImageSettings
    pictures: Sequence[Path]


def write_networks(folder: Path, sources: NetworkSources, report: Report) -> None:
    """Writes the three networks into a folder, with one of them in memory at a time.

    Raises:
        InvalidOption: a picture for calibration cannot be read.
        ModelMissing: nncf is needed, and not installed.
        OSError: a file cannot be written.
    """
    precisions = sources.precisions
    _write(folder / VISION, build_vision, sources, precisions.vision, report)
    _write(folder / EMBEDDINGS, build_embeddings, sources, precisions.embeddings, report)
    _write(folder / DECODER, build_decoder, sources, precisions.decoder, report)


def _write(
    path: Path,
    build: Callable[[ModelConfig, Weights], ov.Model],
    sources: NetworkSources,
    precision: NetworkPrecision,
    report: Report,
) -> None:
    network = build(sources.config, sources.weights(path.stem))
    if precision is NetworkPrecision.INT8_CALIBRATED:
        network = _calibrated(network, sources, report)
    else:
        report(f"compress {path.stem}", 0.0)
        network = compressed(network, precision)
        report(f"compress {path.stem}", 1.0)
    report(f"write {path.stem}", 0.0)
    save(network, path)
    report(f"write {path.stem}", 1.0)


def _calibrated(network: ov.Model, sources: NetworkSources, report: Report) -> ov.Model:
    count = len(sources.pictures)
    report("calibrate vision", 0.0)
    made = calibrated(
        network,
        sources.config.vision,
        sources.images,
        sources.pictures,
        lambda index: report("calibrate vision", index / count),
    )
    report("calibrate vision", 1.0)
    return made


def save(network: ov.Model, path: Path) -> None:
    """Writes a network as it is, its weights to a `.bin` beside it.

    Raises:
        OSError: it cannot be written, most often since the disk is full; OpenVINO does not tell why.
    """
    try:
        ov.save_model(network, path, compress_to_fp16=False)
    except RuntimeError as error:
        full = shutil.disk_usage(path.parent).free < _LITTLE
        number = errno.ENOSPC if full else errno.EIO
        raise OSError(number, os.strerror(number), str(path)) from error
