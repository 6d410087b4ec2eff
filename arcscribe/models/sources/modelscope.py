"""ModelScope: `MODELSCOPE_DOMAIN` names another site, as in its own tools, or a whole address."""

import os
from collections.abc import Callable
from urllib.parse import quote, urlencode

import msgspec

from arcscribe.errors import ModelMissing
from arcscribe.models.catalog import HubSource, ModelFile
from arcscribe.models.sources.http import HubServer

DEFAULT_DOMAIN = "www.modelscope.cn"
REVISION = "master"
"""The main line of every repository there; the catalog's commits are those of the other hub."""


class _Entry(msgspec.Struct, rename="pascal"):
    path: str
    type: str
    size: int = 0
    sha256: str = ""


class _Files(msgspec.Struct, rename="pascal"):
    files: tuple[_Entry, ...]


class _Answer(msgspec.Struct, rename="pascal"):
    data: _Files


class ModelScope:
    """Speaks its repository API, which tells each file's sha256. Private repositories cannot be read."""

    def __init__(self, say: Callable[[str], None]) -> None:
        domain = os.environ.get("MODELSCOPE_DOMAIN") or DEFAULT_DOMAIN
        self.server = HubServer(
            "ModelScope",
            domain if "://" in domain else f"https://{domain}",
            token_help="only public repositories can be pulled from there",
            distance_help="use --hub huggingface, or take the files from a folder: --from FOLDER",
            say=say,
        )

    def listing(self, source: HubSource) -> tuple[ModelFile, ...]:
        query = urlencode({"Revision": REVISION, "Recursive": "false"})
        body = self.server.read(f"/api/v1/models/{quote(source.repo)}/repo/files?{query}")
        try:
            answer = msgspec.json.decode(body, type=_Answer)
        except msgspec.MsgspecError as error:
            raise ModelMissing(
                f"{self.server.name} lists {source.repo} in an unknown form: {error}"
            ) from error
        return tuple(
            ModelFile(entry.path, bytes=entry.size, sha256=entry.sha256)
            for entry in answer.data.files
            if entry.type == "blob"
        )

    def file_path(self, source: HubSource, name: str) -> str:
        query = urlencode({"Revision": REVISION, "FilePath": name})
        return f"/api/v1/models/{quote(source.repo)}/repo?{query}"
