"""A VLM stage in a process of its own, with a toy model."""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from arcscribe.tools.local_service import is_serving
from arcscribe.tools.stage_process import StageCommand, StageProcess
from samples.checkpoints.checkpoint import TOY, write_checkpoint

START_SECONDS = 120.0
KV_MEMORY_MB = 16
"""Room for seven of the largest crops, so that crops wait for it and are preempted, too."""
MAX_NEW_TOKENS = 100
THREADS = 2


def convert_toy(folder: Path) -> Path:
    """Makes a checkpoint with random weights, and converts it to INT8.

    Returns:
        The folder of the converted model.
    """
    checkpoint, converted = folder / "checkpoint", folder / "toy-int8"
    # With tied embeddings a token is often followed by itself, so that some texts are loops.
    write_checkpoint(checkpoint, config=msgspec.structs.replace(TOY, tie_word_embeddings=True))
    command = [sys.executable, "-m", "vlm_stage.convert", str(checkpoint), "--precision", "int8"]
    subprocess.run([*command, "--out", str(converted)], check=True, stdout=subprocess.DEVNULL)
    return converted


@contextmanager
def running_stage(model: Path, folder: Path) -> Iterator[StageProcess]:
    """The stage, on a Unix socket in a folder, once it serves.

    Raises:
        StageUnavailable: it ended instead.
        TimeoutError: it did neither.
    """
    engine = {
        "model": str(model),
        "threads": THREADS,
        "kv_memory_mb": KV_MEMORY_MB,
        "max_new_tokens": MAX_NEW_TOKENS,
    }
    settings = {"engine": "paddleocr-vl", "paddleocr_vl": engine}
    stage = StageProcess(StageCommand("vlm_stage", f"unix:{folder}/vlm.sock", settings), folder)
    try:
        _wait_until_serving(stage)
        yield stage
    finally:
        stage.stop()


def _wait_until_serving(stage: StageProcess) -> None:
    end = time.monotonic() + START_SECONDS
    while not is_serving(stage.command.address):
        if stage.returncode is not None:
            raise stage.error()
        if time.monotonic() > end:
            raise TimeoutError(f"the stage does not serve after {START_SECONDS:g} seconds")
        time.sleep(0.1)
