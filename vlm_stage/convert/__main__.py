"""`python -m vlm_stage.convert CHECKPOINT --precision int8 --out FOLDER`, for `arcscribe models convert`.

The events are those of `arcscribe.models.conversion`.
"""

import argparse
import sys
from pathlib import Path

from vlm_stage.convert.convert import convert
from vlm_stage.convert.request import Request
from vlm_stage.engines.paddleocr_vl.manifest import NetworkPrecision
from vlm_stage.progress import Reporter
from vlm_stage.worker import Tell, run_worker

_MEMORY = "converting takes 3 GB, calibrating 9 GB"
CHOICES = [precision.value for precision in NetworkPrecision if precision != NetworkPrecision.INT8_CALIBRATED]


def main() -> int:
    options = _parser().parse_args()
    return run_worker(
        lambda tell: _convert(options, tell), exit_with_parent=options.exit_with_parent, memory=_MEMORY
    )


def _convert(options: argparse.Namespace, tell: Tell) -> None:
    request = Request(
        checkpoint=options.checkpoint,
        out=options.out,
        precision=NetworkPrecision(options.precision),
        vision=NetworkPrecision(options.vision) if options.vision else None,
        name=options.name,
        pictures=tuple(options.calibrate),
        force=options.force,
    )
    tell(convert(request, Reporter(tell)))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m vlm_stage.convert")
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--precision", choices=CHOICES, required=True)
    parser.add_argument("--vision", choices=CHOICES[:-1], help="the vision encoder's, where it is another")
    parser.add_argument("--name", default="", help="the published model that the checkpoint is said to be")
    parser.add_argument("--calibrate", type=Path, action="append", default=[], help="a picture, or a folder")
    parser.add_argument("--force", action="store_true")
    parser.add_argument("--exit-with-parent", action="store_true")
    return parser


if __name__ == "__main__":
    sys.exit(main())
