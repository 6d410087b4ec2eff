import shutil
from pathlib import Path

import pytest

from samples.checkpoints.checkpoint import write_checkpoint
from tests.vlm_stage.convert.conversions import INT8, converted

NAME = "toy-fp32"


@pytest.fixture(scope="session")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A toy checkpoint, to be read only."""
    folder = tmp_path_factory.mktemp("verify") / "paddleocr-vl"
    write_checkpoint(folder)
    return folder


@pytest.fixture(scope="session")
def exact_model(checkpoint: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """It, converted without loss, in another place; to be read only."""
    return converted(checkpoint, tmp_path_factory.mktemp("exact") / NAME)


@pytest.fixture(scope="session")
def int8_model(checkpoint: Path) -> Path:
    """It in INT8, beside it; to be read only."""
    return converted(checkpoint, checkpoint.parent / "toy-int8", INT8)


@pytest.fixture
def model(exact_model: Path, tmp_path: Path) -> Path:
    """A copy of the exact one that a test may spoil."""
    return Path(shutil.copytree(exact_model, tmp_path / NAME))
