"""Taking models out of the store."""

import tempfile
from collections.abc import Mapping
from pathlib import Path

from arcscribe.models.files import SCRATCH_PREFIX, exclusive_lock, storage_errors


def remove_folders(root: Path, folders: Mapping[str, Path]) -> dict[str, int]:
    """Removes these folders of the store at `root`; gives the bytes of the files in each.

    A model goes in one step, so that none is seen half removed; of a link, only the link goes.

    Raises:
        ModelMissing: the store cannot be written.
    """
    with storage_errors(root), exclusive_lock(root / ".lock", lambda: None):
        return {name: _removed(root, folder) for name, folder in folders.items()}


def _removed(root: Path, folder: Path) -> int:
    if folder.is_symlink():
        folder.unlink()
        return 0
    freed = sum(path.lstat().st_size for path in folder.rglob("*") if not path.is_dir())
    # Should this process be killed now, the next pull clears up.
    with tempfile.TemporaryDirectory(prefix=SCRATCH_PREFIX, dir=root) as scratch:
        folder.rename(Path(scratch) / folder.name)
    return freed
