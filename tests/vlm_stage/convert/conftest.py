import shutil
from pathlib import Path

import pytest

from samples.checkpoints.checkpoint import write_checkpoint
from tests.vlm_stage.convert.conversions import converted


@pytest.fixture(scope="session")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A toy checkpoint in the published layout, to be read only."""
    folder = tmp_path_factory.mktemp("toy") / "toy"
    write_checkpoint(folder)
    return folder


@pytest.fixture
def checkpoint(toy: Path, tmp_path: Path) -> Path:
    """A copy of it that a test may spoil."""
    return Path(shutil.copytree(toy, tmp_path / "checkpoint"))


@pytest.fixture(scope="session")
def fp32(toy: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The toy as it comes, converted without loss; to be read only."""
    return converted(toy, tmp_path_factory.mktemp("converted") / "fp32")
