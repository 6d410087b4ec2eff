"""`python -m bench.vlm_precisions.resident_memory FOLDER`: what a converted model takes of memory, in MB."""

import sys
from pathlib import Path

import psutil

from bench.vlm_precisions.reading import PICTURES, PictureReader

_MB = 1_000_000


def resident_megabytes(folder: Path) -> float:
    """What this process holds once it has read a picture with a converted model."""
    before = psutil.Process().memory_info().rss
    reader = PictureReader(folder, "f32", [[1] * 8], PICTURES[:1])
    assert reader.read()
    return (psutil.Process().memory_info().rss - before) / _MB


if __name__ == "__main__":
    print(resident_megabytes(Path(sys.argv[1])))
