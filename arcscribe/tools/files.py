"""Writing results: a file appears whole or not at all."""

import os
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from arcscribe.errors import InvalidOption
from arcscribe.upload import as_unicode, check_readable


@dataclass(frozen=True, slots=True)
class OutputPaths:
    """Where the results of one document go; None where they are not written to a file.

    `picture_links` is the folder as links in the Markdown name it.
    """

    result: Path | None
    pictures: Path | None
    picture_links: str
    overlays: Path | None


def check_files(inputs: Sequence[Path], out: str) -> None:
    """Looks whether there is something to read and somewhere to write, before anything is started.

    Raises:
        InvalidOption: the results would go to a standard output that is closed.
        InvalidDocument: a file cannot be read.
    """
    if not out and sys.stdout is None:
        raise InvalidOption("the standard output is closed; say --out", field="out")
    for path in inputs:
        check_readable(path)


def plan_outputs(
    inputs: Sequence[Path], out: str, images: Path | None, overlays: Path | None, suffix: str
) -> tuple[OutputPaths, ...]:
    """Where the results of each input go.

    One input and an `out` that is no folder: `out` is the file. Otherwise `out` is a folder that gets STEM.md
    for each input; it is one if it exists as such, or ends with a slash.

    Pictures go to `images`, or beside the result in STEM_images, or nowhere when that goes to
    the standard output; with several inputs each has a folder of its own in `images`.

    Raises:
        InvalidOption: two inputs would write the same file, or several inputs need an `out`.
    """
    several = len(inputs) > 1
    if several and not out:
        raise InvalidOption("several files need --out DIR to write to", field="out")
    results = [_result_path(path, out, several, suffix) for path in inputs]
    _refuse_collisions(inputs, results)
    return tuple(
        _paths(path, result, images, overlays, several) for path, result in zip(inputs, results, strict=True)
    )


def _result_path(source: Path, out: str, several: bool, suffix: str) -> Path | None:
    if not out:
        return None
    is_folder = several or Path(out).is_dir() or out.endswith(os.sep)
    return Path(out) / f"{source.stem}{suffix}" if is_folder else Path(out)


def _refuse_collisions(inputs: Sequence[Path], results: Sequence[Path | None]) -> None:
    seen: dict[Path, Path] = {}
    for source, result in zip(inputs, results, strict=True):
        if result is None:
            continue
        if result in seen:
            raise InvalidOption(f"{seen[result]} and {source} would both be written to {result}", field="out")
        if result.exists() and any(result.samefile(other) for other in inputs):
            raise InvalidOption(f"{result} is one of the documents themselves", field="out")
        seen[result] = source


def _paths(
    source: Path, result: Path | None, images: Path | None, overlays: Path | None, several: bool
) -> OutputPaths:
    pictures = images / source.stem if images and several else images
    if pictures is None and result is not None:
        pictures = result.with_name(as_unicode(f"{result.stem}_images"))  # which links will name
    links = ""
    if pictures is not None:
        start = result.parent if result else Path()
        links = Path(os.path.relpath(pictures, start)).as_posix()
    return OutputPaths(result, pictures, links, overlays)


def write_atomically(path: Path, data: bytes) -> None:
    """Writes a file under a passing name in the same folder, then gives it its own.

    A link is followed; what is there and no file, such as a pipe or /dev/null, is written to as it is.

    Raises:
        OSError: the folder cannot be made, or the file not be written; nothing of it is left then. It names
            the file, not the passing name.
    """
    try:
        _write(Path(os.path.realpath(path)), data)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error


def _write(path: Path, data: bytes) -> None:
    if path.exists() and not path.is_file():
        path.write_bytes(data)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, passing = tempfile.mkstemp(prefix=".arcscribe-", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(passing).chmod(0o666 & ~_umask())
        Path(passing).replace(path)
    except BaseException:
        Path(passing).unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
