"""Paths, checks and records of the store, with files taken from a folder."""

import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from arcscribe.errors import InvalidOption, ModelMissing
from arcscribe.models import Catalog, FileState, ModelFile, ModelStore, PullOptions, default_root, state
from arcscribe.models.events import Note, OnEvent, Progress
from arcscribe.models.files import sha256_of
from arcscribe.models.state import file_state
from tests.models.builders import catalog, hub_model, pinned
from tests.models.fake_hub import FakeHub

_NOBODY = 65534
CONTENT = b"weights" * 100
CATALOG = catalog(net=hub_model(pinned("net.onnx", CONTENT)))


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "source"
    folder.mkdir()
    (folder / "net.onnx").write_bytes(CONTENT)
    return folder


@pytest.fixture
def store(tmp_path: Path, source: Path) -> ModelStore:
    store = ModelStore(tmp_path / "store", CATALOG)
    store.pull(["net"], PullOptions(folder=source))
    return store


@contextmanager
def unprivileged() -> Iterator[None]:
    """Be a user whom the system refuses something, even where the tests run as root."""
    user = os.geteuid()
    if user == 0:
        os.seteuid(_NOBODY)
    try:
        yield
    finally:
        os.seteuid(user)


def test_the_root_is_what_the_environment_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARCSCRIBE_MODELS", "~/somewhere")
    assert default_root() == Path.home() / "somewhere"
    monkeypatch.delenv("ARCSCRIBE_MODELS")
    assert default_root().parts[-2:] == ("arcscribe", "models")


@pytest.mark.parametrize(
    ("known", "brings"), [(CATALOG, "all"), (replace(CATALOG, groups={}), "net")], ids=["group", "alone"]
)
def test_a_missing_file_is_named_with_the_command_that_brings_its_group_or_itself(
    tmp_path: Path, known: Catalog, brings: str
) -> None:
    with pytest.raises(ModelMissing) as caught:
        ModelStore(tmp_path, known).path("net", "net.onnx")
    command = f"arcscribe models pull {brings}"
    assert caught.value.message == f"{tmp_path}/net/net.onnx is missing; run: {command}"
    assert caught.value.details == {"command": command}


def test_a_file_that_the_catalog_does_not_have_is_refused(store: ModelStore) -> None:
    with pytest.raises(InvalidOption, match=r"net has no file other\.onnx"):
        store.path("net", "other.onnx")


def test_a_folder_with_a_folder_for_the_model_serves_as_well(tmp_path: Path, source: Path) -> None:
    shutil.copytree(source, tmp_path / "models" / "net")
    store = ModelStore(tmp_path / "store", CATALOG)
    store.pull(["net"], PullOptions(folder=tmp_path / "models", offline=True))
    assert store.has("net")


def test_a_folder_that_lacks_a_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match=rf"{tmp_path}/net\.onnx is not there"):
        ModelStore(tmp_path / "store", CATALOG).pull(["net"], PullOptions(folder=tmp_path))


def test_a_file_put_there_by_hand_is_hashed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hashed: list[Path] = []

    def counting(path: Path) -> str:
        hashed.append(path)
        return sha256_of(path)

    monkeypatch.setattr(state, "sha256_of", counting)
    path = tmp_path / "net" / "net.onnx"
    path.parent.mkdir()
    path.write_bytes(CONTENT)
    store = ModelStore(tmp_path, CATALOG)
    assert store.path("net", "net.onnx") == store.path("net", "net.onnx") == path
    assert hashed == [path]


def test_a_start_hashes_nothing_that_was_pulled(store: ModelStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state, "sha256_of", lambda path: pytest.fail(f"{path} was hashed"))
    assert store.path("net", "net.onnx").read_bytes() == CONTENT


def test_verify_sees_a_change_that_keeps_size_and_time(store: ModelStore) -> None:
    path = store.path("net", "net.onnx")
    times = path.stat()
    path.write_bytes(CONTENT[::-1])
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert store.verify("net") == {"net.onnx": FileState.DAMAGED}


def test_an_unpinned_file_without_a_record_is_not_trusted(tmp_path: Path) -> None:
    (tmp_path / "net.onnx").write_bytes(CONTENT)
    assert file_state(tmp_path / "net.onnx", ModelFile("net.onnx")) is FileState.UNRECORDED


@pytest.mark.parametrize("record", [b"", b"{", b"[]", b'{"sha256": 3}', b"\xff"])
def test_a_broken_record_is_made_anew(store: ModelStore, record: bytes) -> None:
    path = store.root / "net" / ".net.onnx.record"
    path.write_bytes(record)
    assert store.has("net")
    assert len(path.read_bytes()) > len(record)


@given(
    content=st.binary(max_size=2 * len(CONTENT)) | st.integers(0, len(CONTENT) - 1).map(lambda n: CONTENT[:n])
)
def test_no_other_content_passes(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    path = tmp_path_factory.mktemp("net") / "net.onnx"
    path.write_bytes(CONTENT)
    file = pinned("net.onnx", CONTENT)
    assert file_state(path, file) is FileState.PRESENT
    path.write_bytes(content)
    os.utime(path, (0, 0))
    assert (file_state(path, file) is FileState.PRESENT) == (content == CONTENT)


def test_a_store_that_may_not_be_written_is_read(store: ModelStore) -> None:
    shutil.rmtree(store.root / ".lock", ignore_errors=True)
    (store.root / "net" / ".net.onnx.record").unlink()
    (store.root / "net" / ".net.onnx.part").mkdir()
    assert store.path("net", "net.onnx").is_file()


def test_a_full_disk_is_one_line_and_leaves_nothing(tmp_path: Path, source: Path) -> None:
    store = ModelStore(tmp_path / "store", CATALOG)
    part = store.root / "net" / f".net.onnx.{CATALOG.models['net'].files[0].sha256[:8]}.part"
    part.parent.mkdir(parents=True)
    part.symlink_to("/dev/full")
    with pytest.raises(ModelMissing, match=rf"no space is left for the model store {store.root}"):
        store.pull(["net"], PullOptions(folder=source))
    assert not part.parent.exists()


def test_what_is_removed_is_gone_and_told_in_bytes(store: ModelStore) -> None:
    assert store.remove(["all"])["net"] >= len(CONTENT)
    assert [path.name for path in store.root.iterdir()] == [".lock"]
    with pytest.raises(ModelMissing, match="nothing of net is in"):
        store.remove(["net"])
    with pytest.raises(InvalidOption, match=r"there is no model '../source'"):
        store.remove(["../source"])


def test_nothing_is_removed_where_one_of_the_names_is_absent(store: ModelStore) -> None:
    with pytest.raises(InvalidOption, match="there is no model 'x'"):
        store.remove(["net", "x"])
    assert store.has("net")


def test_of_a_link_only_the_link_is_removed(store: ModelStore, tmp_path: Path) -> None:
    (store.root / "net").rename(tmp_path / "kept")
    (store.root / "net").symlink_to(tmp_path / "kept")
    assert store.remove(["net"]) == {"net": 0}
    assert (tmp_path / "kept" / "net.onnx").read_bytes() == CONTENT
    assert not (store.root / "net").is_symlink()


def test_a_store_that_cannot_be_a_folder_is_one_line(tmp_path: Path, source: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(ModelMissing, match=r"cannot be written .*set ARCSCRIBE_MODELS"):
        ModelStore(tmp_path / "file" / "store", CATALOG).pull(["net"], PullOptions(folder=source))


def test_a_store_that_may_not_be_written_is_one_line(source: Path) -> None:
    store = ModelStore(Path("/usr/arcscribe-test"), CATALOG)
    complaint = r"cannot be written \(Permission denied\); set ARCSCRIBE_MODELS"
    with unprivileged(), pytest.raises(ModelMissing, match=complaint):
        store.pull(["net"], PullOptions(folder=source))


def test_a_file_that_may_not_be_read_is_one_line(store: ModelStore) -> None:
    folder = store.root / "net"
    folder.chmod(0o000)
    with unprivileged(), pytest.raises(ModelMissing, match=r"/net may not be read by this user"):
        store.path("net", "net.onnx")
    folder.chmod(0o700)


def test_two_pulls_at_once_fetch_each_file_once(tmp_path: Path, hub: FakeHub) -> None:
    files = [pinned(name, content) for name, content in hub.files.items()]
    shared = catalog(net=hub_model(*files))
    waiting, begun, errors = threading.Event(), threading.Event(), list[BaseException]()

    def first(event: Note | Progress) -> None:
        begun.set()
        assert waiting.wait(10), "the second pull did not wait"

    def second(event: Note | Progress) -> None:
        if event == Note("waiting for another pull to end"):
            waiting.set()

    def pull(on_event: OnEvent) -> None:
        try:
            ModelStore(tmp_path, shared).pull(["net"], on_event=on_event)
        except BaseException as error:
            errors.append(error)

    one = threading.Thread(target=pull, args=(first,))
    two = threading.Thread(target=pull, args=(second,))
    one.start()
    assert begun.wait(10)
    two.start()
    one.join(20)
    two.join(20)
    assert errors == []
    assert [hub.asked_for(name) for name in hub.files] == [1, 1]
