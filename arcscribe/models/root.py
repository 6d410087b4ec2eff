"""Where the model store lies unless a program says otherwise."""

import os
from pathlib import Path

import platformdirs

ROOT_VARIABLE = "ARCSCRIBE_MODELS"


def default_root() -> Path:
    """`$ARCSCRIBE_MODELS`, or a folder where the system keeps users' data."""
    if configured := os.environ.get(ROOT_VARIABLE):
        return Path(configured).expanduser()
    return Path(platformdirs.user_data_dir("arcscribe", appauthor=False)) / "models"
