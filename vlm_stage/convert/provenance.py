"""Where a checkpoint comes from: the hashes of its files, and which published model it is."""

import platform
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from arcscribe.models.catalog import Catalog
from arcscribe.models.converted import FileHash
from arcscribe.models.files import sha256_of
from vlm_stage.progress import Report

PUBLISHED = {"paddleocr-vl-0.9b": "1.0", "paddleocr-vl-1.5": "1.5", "paddleocr-vl-1.6": "1.6"}
"""The versions of the published models, by their names in the catalog."""

_SETTINGS = ("config.json", "generation_config.json", "preprocessor_config.json", "processor_config.json")
_TEXT = ("tokenizer.json", "tokenizer_config.json", "chat_template.jinja", "chat_template.json")
_TOOLS = ("arcscribe", "openvino", "nncf", "numpy")


@dataclass(frozen=True, slots=True)
class Origin:
    """Which published model a checkpoint is, else `paddleocr-vl` and `unknown`, and its files."""

    name: str
    version: str
    sources: tuple[FileHash, ...]


def source_files(folder: Path, weights: Iterable[Path]) -> tuple[Path, ...]:
    """The files of a checkpoint that a conversion reads."""
    settings = (folder / name for name in (*_SETTINGS, *_TEXT))
    return (*(path for path in settings if path.is_file()), *weights)


def hash_files(files: Iterable[Path], report: Report) -> tuple[FileHash, ...]:
    """Name, size and hash of each file."""
    paths = tuple(files)
    sizes = [path.stat().st_size for path in paths]
    hashes: list[FileHash] = []
    for index, path in enumerate(paths):
        hashes.append(FileHash(path.name, sizes[index], sha256_of(path)))
        report("hash checkpoint", sum(sizes[: index + 1]) / sum(sizes))
    return tuple(hashes)


def identify(name: str, sources: tuple[FileHash, ...], catalog: Catalog) -> Origin:
    """Whose checkpoint it is: by the name it was pulled under, else by its weights' hash."""
    if name in PUBLISHED:
        return Origin(name, PUBLISHED[name], sources)
    hashes = {source.sha256 for source in sources}
    for known, version_number in PUBLISHED.items():
        files = catalog.models[known].files if known in catalog.models else ()
        if any(file.sha256 in hashes for file in files if file.name.endswith(".safetensors")):
            return Origin(known, version_number, sources)
    return Origin("paddleocr-vl", "unknown", sources)


def version_of_name(name: str) -> str:
    """The version that a name says, or the newest, for what a checkpoint leaves unsaid."""
    return PUBLISHED.get(name, "1.6")


def tool_versions() -> dict[str, str]:
    """The versions of what takes part in a conversion."""
    found = {"python": platform.python_version()}
    for tool in _TOOLS:
        try:
            found[tool] = version(tool)
        except PackageNotFoundError:
            continue
    return found
