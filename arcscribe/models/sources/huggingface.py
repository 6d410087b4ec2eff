"""Hugging Face: `HF_ENDPOINT` names a mirror, `HF_TOKEN` opens private repositories, as in its own tools."""

import os
from collections.abc import Callable
from urllib.parse import quote

import msgspec

from arcscribe.errors import ModelMissing
from arcscribe.models.catalog import HubSource, ModelFile
from arcscribe.models.sources.http import HubServer

DEFAULT_ENDPOINT = "https://huggingface.co"


class _LargeFile(msgspec.Struct):
    oid: str


class _Entry(msgspec.Struct):
    type: str
    path: str
    size: int = 0
    lfs: _LargeFile | None = None


class HuggingFace:
    """Speaks its tree API; that tells the sha256 of the large files only."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self.server = HubServer(
            "Hugging Face",
            os.environ.get("HF_ENDPOINT") or DEFAULT_ENDPOINT,
            token_help="set HF_TOKEN to a token that may read it",
            distance_help="use --hub modelscope, set HF_ENDPOINT to a mirror,"
            " or take the files from a folder: --from FOLDER",
            say=say,
            token=os.environ.get("HF_TOKEN", ""),
        )

    def listing(self, source: HubSource) -> tuple[ModelFile, ...]:
        body = self.server.read(f"/api/models/{quote(source.repo)}/tree/{quote(source.revision, safe='')}")
        try:
            entries = msgspec.json.decode(body, type=tuple[_Entry, ...])
        except msgspec.MsgspecError as error:
            raise ModelMissing(
                f"{self.server.name} lists {source.repo} in an unknown form: {error}"
            ) from error
        return tuple(
            ModelFile(entry.path, bytes=entry.size, sha256=entry.lfs.oid if entry.lfs else "")
            for entry in entries
            if entry.type == "file"
        )

    def file_path(self, source: HubSource, name: str) -> str:
        return f"/{quote(source.repo)}/resolve/{quote(source.revision, safe='')}/{quote(name)}"
