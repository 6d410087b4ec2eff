import shutil
from pathlib import Path

import pytest

from samples.checkpoints.checkpoint import write_checkpoint


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
