"""Converted models that are whole, and wrong."""

import json
from pathlib import Path

from arcscribe.models.converted import MANIFEST
from arcscribe.models.files import sha256_of
from arcscribe.models.records import write_record


def replace_file(folder: Path, name: str, content: bytes) -> None:
    """Puts other content into a converted model, and its hash into the manifest, as if converted so."""
    (folder / name).write_bytes(content)
    manifest = json.loads((folder / MANIFEST).read_text())
    (entry,) = (file for file in manifest["files"] if file["name"] == name)
    entry |= {"bytes": len(content), "sha256": sha256_of(folder / name)}
    (folder / MANIFEST).write_text(json.dumps(manifest))
    write_record(folder / MANIFEST, sha256_of(folder / MANIFEST))
