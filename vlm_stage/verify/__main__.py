"""`python -m vlm_stage.verify FOLDER --device GPU`, for `arcscribe models verify`.

The events are those of `arcscribe.models.verification`. A check that fails is an error too, after the event
that holds all checks.
"""

import argparse
import sys
from pathlib import Path

import msgspec

from arcscribe.errors import InferenceFailed, InvalidOption
from vlm_stage.engines.paddleocr_vl.settings import PaddleOcrVlSettings
from vlm_stage.progress import Reporter
from vlm_stage.verify.pictures import drawn_pictures, pictures_in
from vlm_stage.verify.request import Request
from vlm_stage.verify.verify import verify
from vlm_stage.worker import Tell, run_worker

_MEMORY = "verifying takes about 4 GB, and 8 GB with a checkpoint"


def main() -> int:
    options = _parser().parse_args()
    return run_worker(
        lambda tell: _verify(options, tell), exit_with_parent=options.exit_with_parent, memory=_MEMORY
    )


def _verify(options: argparse.Namespace, tell: Tell) -> None:
    request = Request(
        folder=options.folder,
        device=options.device,
        settings=_settings(options),
        pictures=pictures_in(options.images) if options.images else drawn_pictures(),
        steps=options.steps,
        checkpoint=options.checkpoint,
    )
    verification = verify(request, Reporter(tell))
    tell(verification)
    if not verification.passed:
        failed = [check.name for check in verification.checks if check.passed is False]
        raise InferenceFailed(
            f"{verification.model} on {verification.device} is not what it should be: {'; '.join(failed)}"
        )


def _settings(options: argparse.Namespace) -> PaddleOcrVlSettings:
    given = {
        "model": str(options.folder),
        "devices": [options.device],
        "kv_precision": options.kv_precision,
        "vision_precision": options.vision_precision,
        "inference_precision": options.inference_precision,
        "cache_dir": options.cache_dir,
    }
    try:
        return msgspec.convert(given, PaddleOcrVlSettings)
    except msgspec.ValidationError as error:
        raise InvalidOption(str(error), field="settings") from error


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m vlm_stage.verify")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--device", default="CPU")
    parser.add_argument("--images", type=Path)
    parser.add_argument("--checkpoint", type=Path)
    parser.add_argument("--steps", type=int, default=64)
    parser.add_argument("--kv-precision", default="")
    parser.add_argument("--vision-precision", default="")
    parser.add_argument("--inference-precision", default="")
    parser.add_argument("--cache-dir", default="")
    parser.add_argument("--exit-with-parent", action="store_true")
    return parser


if __name__ == "__main__":
    sys.exit(main())
