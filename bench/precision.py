"""`python -m bench.precision --json FILE`: what each precision of PaddleOCR-VL takes, and what it changes.

A checkpoint of full size with random weights is converted in every way. The model in FP32 reads a few
pictures greedily, without paged attention; every other one is then asked for its logits after each of the
same tokens, through the paged decoder, as the engine runs it. Random weights tell what arithmetic changes and
nothing of how well a model reads, and they enlarge every difference from layer to layer.

It takes 12 GB of disk, 10 GB of memory and some 20 minutes on two quiet cores. `--size toy` goes the same way
in half a minute; its figures mean nothing.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

import msgspec
import numpy as np
import psutil
from numpy.typing import NDArray

from bench.figures import put_figures, table
from bench.memory import peak_megabytes
from samples.checkpoints.checkpoint import SIZES, Size, write_checkpoint
from vlm_stage.engines.paddleocr_vl.manifest import read_manifest
from vlm_stage.engines.paddleocr_vl.networks.load_networks import load_networks, plan_for
from vlm_stage.engines.paddleocr_vl.settings import PaddleOcrVlSettings
from vlm_stage.verify.compare import Difference, agreement, difference, worst_of
from vlm_stage.verify.decoding import Text, alone
from vlm_stage.verify.openvino_reference import OpenVinoReference
from vlm_stage.verify.pictures import Picture, drawn_pictures
from vlm_stage.verify.prompted import crop_preparer, prompted
from vlm_stage.verify.reading import Reading, crop_of
from vlm_stage.verify.stepper import Stepper, kv_megabytes

FIRST = "fp32"
"""What the others are compared with."""
CONVERSIONS: Mapping[str, Sequence[str]] = {
    FIRST: ("--precision", "fp32"),
    "fp16": ("--precision", "fp16"),
    "int8": ("--precision", "int8"),
    "int8, vision fp16": ("--precision", "int8", "--vision", "fp16"),
    "int4": ("--precision", "int4"),
    "int4, vision fp16": ("--precision", "int4", "--vision", "fp16"),
}
"""Ways to convert, by what they are called in the report, and their options."""
COMPRESSED_CACHE = (FIRST, "int8, vision fp16")
"""Those that are tried with keys and values in eight bits too."""
PICTURES = tuple(picture for picture in drawn_pictures() if picture.name != "column")
_KV_MEMORY_MB = 256
_MB = 1_000_000


@dataclass(frozen=True, slots=True)
class Resources:
    """Of one conversion: seconds and the most memory it took, the size of what it made, and what a process
    holds that has loaded that and read a picture; sizes in MB, with 256 of KV cache in the last."""

    conversion: str
    seconds: float
    peak_mb: float
    disk_mb: float
    resident_mb: float


@dataclass(frozen=True, slots=True)
class Change:
    """What a precision changes against FP32: of image tokens and logits the `Difference`, of greedy tokens
    how many of `steps` are the same; `median_lead` is the first logit's over the second, in spreads."""

    conversion: str
    kv_cache: str
    vision: Difference
    logits: Difference
    same: int
    steps: int
    median_lead: float


def measure(work: Path, size: Size, steps: int) -> tuple[list[Resources], list[Change]]:
    """Converts a checkpoint in every way into a folder, and compares."""
    checkpoint = work / "checkpoint"
    write_checkpoint(checkpoint, size)
    resources = [convert(checkpoint, work, name) for name in CONVERSIONS]
    reference = OpenVinoReference(work / FIRST, read_manifest(work / FIRST))
    readings = [reference.read(picture, steps) for picture in PICTURES]
    del reference
    variants = [(name, "f32") for name in CONVERSIONS if name != FIRST] + [
        (name, "u8") for name in COMPRESSED_CACHE
    ]
    return resources, [compare(work, name, kv_cache, readings) for name, kv_cache in variants]


def convert(checkpoint: Path, work: Path, name: str) -> Resources:
    """Converts as `arcscribe models convert` does."""
    out = work / name
    command = [
        sys.executable,
        "-m",
        "vlm_stage.convert",
        str(checkpoint),
        *CONVERSIONS[name],
        "--out",
        str(out),
    ]
    start = time.perf_counter()
    peak = peak_megabytes(command)
    seconds = time.perf_counter() - start
    disk = sum(file.bytes for file in read_manifest(out).files) / _MB
    loaded = subprocess.run(
        [sys.executable, "-m", "bench.precision", "--resident", str(out)], stdout=subprocess.PIPE, check=True
    )
    return Resources(name, seconds, peak, disk, float(loaded.stdout))


def compare(work: Path, name: str, kv_cache: str, readings: Sequence[Reading]) -> Change:
    """What a converted model makes of the pictures, after the tokens of the readings."""
    print(f"{name}, KV cache {kv_cache}", file=sys.stderr, flush=True)
    vision, logits = read_pictures(work / name, kv_cache, [reading.tokens for reading in readings])
    agree = agreement(logits, [reading.logits for reading in readings], lead=0.0)
    return Change(
        name,
        kv_cache,
        worst_of(
            difference(own, reading.image_tokens) for own, reading in zip(vision, readings, strict=True)
        ),
        worst_of(difference(own, reading.logits) for own, reading in zip(logits, readings, strict=True)),
        agree.same,
        agree.steps,
        agree.median_lead,
    )


def read_pictures(
    folder: Path, kv_cache: str, texts: Sequence[Sequence[int]], pictures: Sequence[Picture] = PICTURES
) -> tuple[list[NDArray[np.float32]], list[NDArray[np.float32]]]:
    """The image tokens of pictures, and the logits after each token of their texts."""
    manifest = read_manifest(folder)
    config, preparer = manifest.config, crop_preparer(folder, manifest)
    crops = [preparer.prepare(crop_of(picture), picture.prompt) for picture in pictures]
    longest = max(len(crop.prompt.ids) + len(text) for crop, text in zip(crops, texts, strict=True))
    settings = msgspec.convert({"kv_precision": kv_cache}, PaddleOcrVlSettings)
    memory = max(kv_megabytes(config.text, 1, longest), _KV_MEMORY_MB)
    networks = load_networks(folder, config.vision, plan_for(settings, "CPU"), memory)
    stepper = Stepper(networks.decoder, networks.embedder, config.text, places=1)
    vision: list[NDArray[np.float32]] = []
    logits = []
    for crop, text in zip(crops, texts, strict=True):
        networks.vision.start([crop.patches])
        vision += networks.vision.collect()
        logits.append(alone(stepper, Text(prompted(crop, vision[-1], networks.embedder), text)))
    return vision, logits


def resident_megabytes(folder: Path) -> float:
    """What this process holds once it has read a picture with a converted model."""
    before = psutil.Process().memory_info().rss
    kept = read_pictures(folder, "f32", [[1] * 8], PICTURES[:1])
    assert kept
    return (psutil.Process().memory_info().rss - before) / _MB


def resources_table(resources: Iterable[Resources]) -> str:
    """What each conversion takes."""
    head = ("converted with", "seconds", "peak memory, MB", "on disk, MB", "in memory, MB")
    rows = (
        (
            f"`{' '.join(CONVERSIONS[row.conversion])}`",
            f"{row.seconds:.0f}",
            f"{row.peak_mb:,.0f}",
            f"{row.disk_mb:,.0f}",
            f"{row.resident_mb:,.0f}",
        )
        for row in resources
    )
    return table(head, rows)


def changes_table(changes: Iterable[Change]) -> str:
    """What each precision changes."""
    head = ("weights", "KV cache", "image tokens", "logits", "largest", "mean", "same token", "median lead")
    rows = (
        (
            row.conversion,
            row.kv_cache,
            f"{row.vision.worst:.2%}",
            f"{row.logits.worst:.2%}",
            f"{row.logits.largest:.2g}",
            f"{row.logits.mean:.2g}",
            f"{row.same / row.steps:.0%}",
            f"{row.median_lead:.2f}",
        )
        for row in changes
    )
    return table(head, rows)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.precision", description=__doc__)
    parser.add_argument("--json", type=Path, help="write the report here")
    parser.add_argument("--document", type=Path, help="put the figures into this document")
    parser.add_argument("--work", type=Path, help="keep checkpoint and models here; else they are removed")
    parser.add_argument("--size", choices=[*SIZES], default="full")
    parser.add_argument("--steps", type=int, default=64, help="tokens of each picture")
    parser.add_argument("--resident", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.resident:
        print(resident_megabytes(arguments.resident))
        return
    with _folder(arguments.work) as work:
        resources, changes = measure(work, arguments.size, arguments.steps)
    for figures in (resources_table(resources), changes_table(changes)):
        print(f"{figures}\n")
    if arguments.json:
        report = {"resources": [*map(asdict, resources)], "changes": [*map(asdict, changes)]}
        arguments.json.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    if arguments.document:
        put_figures(arguments.document, "resources", resources_table(resources))
        put_figures(arguments.document, "precision", changes_table(changes))


@contextmanager
def _folder(given: Path | None) -> Iterator[Path]:
    if given:
        given.mkdir(parents=True, exist_ok=True)
        yield given
    else:
        with tempfile.TemporaryDirectory() as folder:
            yield Path(folder)


if __name__ == "__main__":
    main()
