"""Converted models in the store, told by their manifests alone."""

from pathlib import Path

import msgspec
import pytest

from arcscribe.errors import InvalidOption, ModelMissing
from arcscribe.models import FileState, ModelStore
from arcscribe.models.converted import FORMAT, MANIFEST, ConvertedModel, FileHash, has_other_format
from arcscribe.models.files import sha256_of
from arcscribe.models.records import write_record
from tests.models.builders import catalog, hub_model, pinned


@pytest.fixture
def store(tmp_path: Path) -> ModelStore:
    """A store with one model in its catalog, `net`."""
    return ModelStore(tmp_path, catalog(net=hub_model(pinned("net.bin", b"net"))))


def write_model(folder: Path, content: bytes = b"weights") -> ConvertedModel:
    folder.mkdir(parents=True)
    (folder / "decoder.bin").write_bytes(content)
    file = FileHash("decoder.bin", len(content), sha256_of(folder / "decoder.bin"))
    model = ConvertedModel(FORMAT, "paddleocr-vl-1.6", "1.6", {"decoder": "int8"}, (file,))
    (folder / MANIFEST).write_bytes(msgspec.json.encode(model))
    return model


def test_converted_models_are_found_by_their_manifests(store: ModelStore) -> None:
    assert store.converted_names() == ()
    model = write_model(store.root / "b-int8")
    write_model(store.root / "a-int4")
    write_model(store.root / ".c-int4.part")
    (store.root / "empty").mkdir()
    assert store.converted_names() == ("a-int4", "b-int8")
    assert store.converted("b-int8") == model
    assert model.bytes == len(b"weights")


def test_the_catalogs_own_models_are_no_converted_ones(store: ModelStore) -> None:
    write_model(store.root / "net")
    assert store.converted_names() == ()
    assert store.verify("net") == {"net.bin": FileState.MISSING}


def test_a_name_that_is_none_is_refused(store: ModelStore) -> None:
    with pytest.raises(InvalidOption, match="there is no converted model 'x'; arcscribe models list shows"):
        store.converted("x")


def test_each_file_is_hashed_anew(store: ModelStore) -> None:
    write_model(store.root / "m")
    assert store.verify("m") == {"decoder.bin": FileState.PRESENT}
    (store.root / "m" / "decoder.bin").write_bytes(b"Weights")
    assert store.verify("m") == {"decoder.bin": FileState.DAMAGED}
    (store.root / "m" / "decoder.bin").unlink()
    assert store.verify("m") == {"decoder.bin": FileState.MISSING}


def test_a_manifest_that_was_edited_is_damaged_where_there_is_a_record_of_it(store: ModelStore) -> None:
    write_model(store.root / "m")
    path = store.root / "m" / MANIFEST
    write_record(path, sha256_of(path))
    assert store.verify("m") == {MANIFEST: FileState.PRESENT, "decoder.bin": FileState.PRESENT}
    path.write_bytes(path.read_bytes().replace(b"int8", b"fp16"))
    assert store.verify("m")[MANIFEST] is FileState.DAMAGED
    (store.root / "m" / f".{MANIFEST}.record").unlink()
    assert store.verify("m") == {"decoder.bin": FileState.PRESENT}


@pytest.mark.parametrize("content", [b'{"format": 0}', b'{"format": 2, "files": {}}'])
def test_a_model_of_another_format_is_told_as_such(content: bytes, store: ModelStore) -> None:
    write_model(store.root / "m")
    assert not has_other_format(store.root / "m")
    (store.root / "m" / MANIFEST).write_bytes(content)
    assert has_other_format(store.root / "m")
    with pytest.raises(
        ModelMissing, match=r"is of format \d, and this version reads format 1; run: arcscribe"
    ):
        store.verify("m")


@pytest.mark.parametrize("content", [b"", b"{}", b"\xff", b'{"format": "x"}', b'{"a":' + b"[" * 9999])
def test_a_manifest_that_cannot_be_read_says_what_to_do(content: bytes, store: ModelStore) -> None:
    write_model(store.root / "m")
    (store.root / "m" / MANIFEST).write_bytes(content)
    assert store.converted_names() == ("m",)
    for ask in (store.converted, store.verify):
        with pytest.raises(ModelMissing, match=r"arcscribe.json is damaged; run: arcscribe models convert"):
            ask("m")
