"""The layout models of a command line, and what the layout stage is told of them."""

from pathlib import Path


def layout_settings(model: str, block_model: str) -> dict[str, object]:
    """The layout stage's settings; each model is a catalog name, a folder, or empty for the default."""
    told = {"model": _absolute(model), "block_model": _absolute(block_model)}
    return {key: value for key, value in told.items() if value}


def _absolute(model: str) -> str:
    """A folder by its whole path, which the stage understands wherever it is started."""
    return str(Path(model).resolve()) if model and Path(model).is_dir() else model
