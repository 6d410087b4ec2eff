"""`python -m samples.checkpoints FOLDER [--size full]` writes a checkpoint with random weights."""

import argparse
from pathlib import Path
from typing import get_args

from samples.checkpoints.checkpoint import SIZES, write_checkpoint
from samples.checkpoints.safetensors import Dtype
from samples.checkpoints.weights import Layout
from vlm_stage.convert.tensors import parameter_count


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m samples.checkpoints", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--size", choices=SIZES, default="toy")
    parser.add_argument("--layout", choices=get_args(Layout), default="published")
    parser.add_argument("--dtype", choices=get_args(Dtype), default="bf16")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    config = write_checkpoint(
        options.folder,
        options.size,
        layout=options.layout,
        seed=options.seed,
        dtype=options.dtype,
    )
    print(f"{parameter_count(config):,} parameters in {options.folder}")


if __name__ == "__main__":
    main()
