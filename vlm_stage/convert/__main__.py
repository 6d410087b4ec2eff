"""`python -m vlm_stage.convert CHECKPOINT --precision int8 --out FOLDER`, for `arcscribe models convert`.

The standard output carries events (`vlm_stage.convert.events`) and nothing else. What goes wrong is one line,
`error: ...`, and exit status 1. It ends, and leaves nothing, at SIGINT, SIGTERM or SIGHUP; with
`--exit-with-parent` also when its standard input ends.
"""

import argparse
import os
import signal
import sys
import threading
from pathlib import Path
from types import FrameType
from typing import IO

from arcscribe.errors import ArcscribeError
from vlm_stage.convert.convert import Request, convert
from vlm_stage.convert.events import Reporter
from vlm_stage.engines.paddleocr_vl.converted import NetworkPrecision

CHOICES = [precision.value for precision in NetworkPrecision if precision != NetworkPrecision.INT8_CALIBRATED]


def main() -> int:
    options = _parser().parse_args()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _end)
    if options.exit_with_parent:
        threading.Thread(target=_end_with_parent, daemon=True).start()
    request = Request(
        checkpoint=options.checkpoint,
        out=options.out,
        precision=NetworkPrecision(options.precision),
        vision=NetworkPrecision(options.vision) if options.vision else None,
        name=options.name,
        pictures=tuple(options.calibrate),
        force=options.force,
    )
    reporter = Reporter(_own_output())
    try:
        reporter.write(convert(request, reporter))
    except (ArcscribeError, OSError) as error:
        sys.stderr.write(f"error: {' '.join(str(error).split())}\n")
        return 1
    except MemoryError:
        sys.stderr.write("error: there is not enough memory; converting takes 3 GB, calibrating 9 GB\n")
        return 1
    return 0


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


def _end(number: int, _frame: FrameType | None) -> None:
    raise SystemExit(128 + number)


def _end_with_parent() -> None:
    while os.read(0, 4096):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


def _own_output() -> IO[str]:
    """The standard output, kept from the libraries, which would write bars and notes between the events."""
    ours = os.fdopen(os.dup(1), "w", encoding="utf-8")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)
    return ours


if __name__ == "__main__":
    sys.exit(main())
