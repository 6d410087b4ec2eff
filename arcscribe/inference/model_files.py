"""The files of models, before a runtime opens them."""

from pathlib import Path

from arcscribe.errors import ModelMissing


def existing(path: Path) -> Path:
    """The path of a file that is there.

    Raises:
        ModelMissing: it is not.
    """
    if not path.is_file():
        raise ModelMissing(f"{path} is not there", command="arcscribe models pull")
    return path
