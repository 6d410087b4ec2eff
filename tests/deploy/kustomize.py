"""What kustomize makes of the manifests: as much of it as they use, and nothing else is taken.

`test_kubernetes.py` compares it with kubectl's own, where there is a kubectl.
"""

import copy
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]

Manifest = dict[str, Any]

KNOWN = {
    "apiVersion",
    "kind",
    "namespace",
    "resources",
    "components",
    "configMapGenerator",
    "patches",
    "images",
}
CLUSTER_WIDE = {"Namespace"}


def documents(path: Path) -> list[Manifest]:
    return [document for document in yaml.safe_load_all(path.read_text(encoding="utf-8")) if document]


def built(folder: Path) -> list[Manifest]:
    """The manifests of a folder with a `kustomization.yaml`; generated names have no hash after them."""
    return _built(folder, [])


def _built(folder: Path, manifests: list[Manifest]) -> list[Manifest]:
    """The same, for a component with those that it is put beside."""
    (told,) = documents(folder / "kustomization.yaml")
    assert told.keys() <= KNOWN, told.keys() - KNOWN
    manifests = [*manifests, *_resources(folder, told)]
    for component in told.get("components", ()):
        manifests = _built(folder / component, manifests)
    for generator in told.get("configMapGenerator", ()):
        manifests = _with_generated(folder, generator, manifests)
    for patch in told.get("patches", ()):
        _patch(documents_of_patch(folder / patch["path"]), patch["target"], manifests)
    for image in told.get("images", ()):
        _name_image(image, manifests)
    for manifest in manifests:
        if "namespace" in told and manifest["kind"] not in CLUSTER_WIDE:
            manifest["metadata"]["namespace"] = told["namespace"]
    return manifests


def _resources(folder: Path, told: Manifest) -> Iterator[Manifest]:
    for name in told.get("resources", ()):
        path = folder / name
        yield from built(path) if path.is_dir() else documents(path)


def _with_generated(folder: Path, generator: Manifest, manifests: list[Manifest]) -> list[Manifest]:
    assert generator.keys() <= {"name", "behavior", "files"}, generator
    named = [
        one for one in manifests if (one["kind"], one["metadata"]["name"]) == ("ConfigMap", generator["name"])
    ]
    assert len(named) == (1 if generator.get("behavior") == "replace" else 0), generator
    files = dict(entry.split("=") for entry in generator["files"])
    data = {key: (folder / file).read_text(encoding="utf-8") for key, file in files.items()}
    made = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": generator["name"]},
        "data": data,
    }
    return [one for one in manifests if one not in named] + [made]


def documents_of_patch(path: Path) -> list[Manifest]:
    (patch,) = yaml.safe_load_all(path.read_text(encoding="utf-8"))
    assert isinstance(patch, list)
    return patch


def _patch(operations: list[Manifest], target: Mapping[str, str], manifests: list[Manifest]) -> None:
    aims = [
        one for one in manifests if (one["kind"], one["metadata"]["name"]) == (target["kind"], target["name"])
    ]
    assert len(aims) == 1, target
    for operation in operations:
        apply_operation(operation, aims[0])


def apply_operation(operation: Manifest, document: Any) -> None:
    """One operation of a JSON patch (RFC 6902): add, replace or remove."""
    *way, last = (part.replace("~1", "/").replace("~0", "~") for part in operation["path"].split("/")[1:])
    for part in way:
        document = document[int(part) if isinstance(document, list) else part]
    if isinstance(document, list):
        assert (operation["op"], last) == ("add", "-"), operation
        document.append(copy.deepcopy(operation["value"]))
        return
    assert operation["op"] == "add" or last in document, operation
    if operation["op"] == "remove":
        del document[last]
    else:
        document[last] = copy.deepcopy(operation["value"])


def _name_image(image: Mapping[str, str], manifests: list[Manifest]) -> None:
    found = [one for manifest in manifests for one in containers(manifest) if one["image"] == image["name"]]
    assert found, image
    for container in found:
        container["image"] = f"{image['newName']}:{image['newTag']}"


def containers(manifest: Manifest) -> list[Manifest]:
    """Of a Deployment or a Job."""
    if manifest["kind"] not in {"Deployment", "Job"}:
        return []
    found: list[Manifest] = manifest["spec"]["template"]["spec"]["containers"]
    return found
