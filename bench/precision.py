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
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from bench.figures import put_figures, table
from bench.vlm_precisions.changes import Change, compare
from bench.vlm_precisions.conversions import CONVERSIONS, FIRST, Resources, convert
from bench.vlm_precisions.reading import PICTURES
from samples.checkpoints.checkpoint import SIZES, Size, write_checkpoint
from vlm_stage.engines.paddleocr_vl.manifest import read_manifest
from vlm_stage.verify.openvino_reference import OpenVinoReference

COMPRESSED_CACHE = (FIRST, "int8, vision fp16")
"""Those that are tried with keys and values in eight bits too."""


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
    arguments = parser.parse_args()
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
