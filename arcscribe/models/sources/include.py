"""The files of a model that has more of them than the catalog names."""

from collections.abc import Iterable
from fnmatch import fnmatchcase

from arcscribe.models.catalog import ModelFile


def with_included(
    named: Iterable[ModelFile], offered: Iterable[ModelFile], patterns: tuple[str, ...]
) -> tuple[ModelFile, ...]:
    """The offered files that a pattern matches, then the named ones.

    What the catalog does not say of a named file, the offer says. Files in folders, hidden files and names
    with a path in them are left out.
    """
    offers = {file.name: file for file in offered}
    wanted = tuple(file if file.sha256 else offers.get(file.name, file) for file in named)
    names = {file.name for file in wanted}
    extra = (
        file
        for name, file in offers.items()
        if name not in names and _plain(name) and any(fnmatchcase(name, p) for p in patterns)
    )
    return (*extra, *wanted)


def _plain(name: str) -> bool:
    return not name.startswith(".") and not set(name) & set("/\\:")
