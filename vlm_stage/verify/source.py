"""The checkpoint that a model was converted from, where it is here."""

from pathlib import Path

from arcscribe.errors import ModelMissing
from arcscribe.models.files import sha256_of
from vlm_stage.engines.paddleocr_vl.manifest import Manifest


def find_source(folder: Path, manifest: Manifest, given: Path | None) -> Path | None:
    """The checkpoint that was given, or one that lies beside the converted model under its published name.

    Raises:
        ModelMissing: the one that was given is another than was converted.
    """
    if given is None:
        beside = folder.absolute().parent / manifest.name
        return beside if beside != folder.absolute() and not _differing(beside, manifest) else None
    if other := _differing(given, manifest):
        raise ModelMissing(
            f"{given} is not the checkpoint that {folder.name} was converted from: {other} is not the same"
        )
    return given


def _differing(checkpoint: Path, manifest: Manifest) -> str | None:
    """The first file that is not there, or not what was converted."""
    return next(
        (file.name for file in manifest.sources if not _is(checkpoint / file.name, file.bytes, file.sha256)),
        None,
    )


def _is(path: Path, size: int, sha256: str) -> bool:
    return path.is_file() and path.stat().st_size == size and sha256_of(path) == sha256
