"""The ways to convert a checkpoint, and what each of them takes."""

import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.memory import peak_megabytes
from vlm_stage.engines.paddleocr_vl.manifest import read_manifest

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
        [sys.executable, "-m", "bench.vlm_precisions.resident_memory", str(out)],
        stdout=subprocess.PIPE,
        check=True,
    )
    return Resources(name, seconds, peak, disk, float(loaded.stdout))
