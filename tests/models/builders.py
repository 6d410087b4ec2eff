"""Small models for tests: files, catalogs and wheels."""

import hashlib
import zipfile
from pathlib import Path

from arcscribe.models import Catalog, HubSource, Model, ModelFile, WheelSource
from tests.models.fake_hub import COMMIT, REPO

WHEEL = WheelSource("tiny-carrier", "1.0")


def pinned(name: str, content: bytes, member: str = "") -> ModelFile:
    """A file of which the catalog knows all."""
    return ModelFile(name, member, len(content), hashlib.sha256(content).hexdigest())


def catalog(**models: Model) -> Catalog:
    """A catalog of these models, and a group of all of them."""
    return Catalog(groups={"all": tuple(models)}, models=models)


def hub_model(*files: ModelFile, include: tuple[str, ...] = ()) -> Model:
    """A model in the fake hub's repository."""
    return Model("role", "about", "MIT", HubSource(REPO, COMMIT, include), files)


def wheel_model(*files: ModelFile) -> Model:
    """A model in the tiny wheel."""
    return Model("role", "about", "MIT", WHEEL, files)


def write_wheel(folder: Path, members: dict[str, bytes]) -> Path:
    """A wheel of `WHEEL` that pip accepts."""
    info = "tiny_carrier-1.0.dist-info"
    metadata = "Metadata-Version: 2.1\nName: tiny-carrier\nVersion: 1.0\nRequires-Python: <3.12\n"
    tags = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    path = folder / "tiny_carrier-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        for name, content in members.items():
            wheel.writestr(name, content)
        wheel.writestr(f"{info}/METADATA", metadata)
        wheel.writestr(f"{info}/WHEEL", tags)
        wheel.writestr(f"{info}/RECORD", "")
    return path
