"""Pulling from the hubs, each played by a server on this machine."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from arcscribe.errors import ModelMissing
from arcscribe.models import Hub, ModelFile, ModelStore, Note, Progress, PullOptions
from arcscribe.models.sources import http
from tests.models.builders import catalog, hub_model, pinned
from tests.models.fake_hub import FakeHub, serving

HUBS = pytest.mark.parametrize("which", list(Hub))
TRUSTING = PullOptions(allow_unpinned=True)


@pytest.fixture
def elsewhere(hub: FakeHub) -> Iterator[FakeHub]:
    """Where the hub's files really lie."""
    with serving(FakeHub(hub.files)) as other:
        yield other


def pinned_store(root: Path, hub: FakeHub) -> ModelStore:
    """A store whose catalog knows the hashes of the hub's files."""
    files = (pinned(name, content) for name, content in hub.files.items())
    return ModelStore(root, catalog(net=hub_model(*files)))


def unpinned_store(root: Path) -> ModelStore:
    """A store whose catalog knows the files' names only."""
    files = (ModelFile("net.bin"), ModelFile("labels.yml"))
    return ModelStore(root, catalog(net=hub_model(*files, include=("*.json",))))


@HUBS
def test_a_pinned_model_comes_whole_and_costs_nothing_the_second_time(
    tmp_path: Path, hub: FakeHub, which: Hub
) -> None:
    store = pinned_store(tmp_path, hub)
    assert store.pull(["net"], PullOptions(hub=which)) == ("net",)
    assert store.path("net", "net.bin").read_bytes() == hub.files["net.bin"]
    asked = len(hub.requests)
    assert asked == 2
    assert store.pull(["net"], PullOptions(hub=which)) == ()
    assert len(hub.requests) == asked


@HUBS
def test_a_cut_connection_goes_on_where_it_broke(tmp_path: Path, hub: FakeHub, which: Hub) -> None:
    hub.cuts = [100_000, 0, 700_000]
    store = pinned_store(tmp_path, hub)
    store.pull(["net"], PullOptions(hub=which))
    assert store.path("net", "net.bin").read_bytes() == hub.files["net.bin"]
    asked = [headers.get("Range") for headers in hub.headers if "net.bin" in hub.requests[0]]
    assert asked[:4] == [None, "bytes=100000-", "bytes=100000-", "bytes=800000-"]


def test_a_server_that_knows_no_ranges_sends_the_file_anew(tmp_path: Path, hub: FakeHub) -> None:
    hub.cuts, hub.ranges = [100_000], False
    store = pinned_store(tmp_path, hub)
    store.pull(["net"])
    assert store.path("net", "net.bin").read_bytes() == hub.files["net.bin"]


def test_what_came_before_a_failure_is_not_fetched_twice(tmp_path: Path, hub: FakeHub) -> None:
    hub.cuts = [100_000, 0, 0, 0]
    store = pinned_store(tmp_path, hub)
    with pytest.raises(
        ModelMissing, match=r"Hugging Face cannot be reached .* ended early; use --hub modelscope"
    ):
        store.pull(["net"])
    with pytest.raises(ModelMissing, match=r"net\.bin is missing"):
        store.path("net", "net.bin")
    hub.headers.clear()
    store.pull(["net"])
    assert hub.headers[0]["Range"] == "bytes=100000-"


def test_a_busy_server_is_asked_again(tmp_path: Path, hub: FakeHub) -> None:
    hub.statuses = [503, 429]
    assert pinned_store(tmp_path, hub).pull(["net"]) == ("net",)


@HUBS
def test_other_content_than_the_catalogs_is_not_kept(tmp_path: Path, hub: FakeHub, which: Hub) -> None:
    store = pinned_store(tmp_path, hub)
    hub.files["net.bin"] = hub.files["net.bin"][::-1]
    with pytest.raises(ModelMissing, match=r"net\.bin from Tiny/Model on .* has sha256 .* not kept"):
        store.pull(["net"], PullOptions(hub=which))
    assert not (tmp_path / "net").exists()


@HUBS
def test_a_missing_file_is_named(tmp_path: Path, hub: FakeHub, which: Hub) -> None:
    store = pinned_store(tmp_path, hub)
    del hub.files["net.bin"]
    with pytest.raises(ModelMissing, match=r"has no .*net\.bin"):
        store.pull(["net"], PullOptions(hub=which))


def test_a_private_repository_asks_for_a_token(
    tmp_path: Path, hub: FakeHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.token = "secret"
    with pytest.raises(ModelMissing, match=r"status 401.*HF_TOKEN"):
        pinned_store(tmp_path, hub).pull(["net"])
    monkeypatch.setenv("HF_TOKEN", "secret")
    assert pinned_store(tmp_path, hub).pull(["net"]) == ("net",)


def test_the_token_stays_with_the_hub_when_files_lie_elsewhere(
    tmp_path: Path, hub: FakeHub, elsewhere: FakeHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", "secret")
    hub.redirect_to = elsewhere.url
    pinned_store(tmp_path, hub).pull(["net"])
    assert all(headers["Authorization"] == "Bearer secret" for headers in hub.headers)
    assert len(elsewhere.headers) == 2
    assert not any("Authorization" in headers for headers in elsewhere.headers)


def test_a_hub_out_of_reach_is_named(tmp_path: Path, hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(
        ModelMissing,
        match=r"Hugging Face cannot be reached at http://127\.0\.0\.1:9: .*refused.*: --from FOLDER$",
    ):
        pinned_store(tmp_path, hub).pull(["net"])


@pytest.mark.parametrize(
    ("which", "name"), [(Hub.HUGGING_FACE, "Hugging Face"), (Hub.MODEL_SCOPE, "ModelScope")]
)
def test_what_is_asked_for_and_each_new_attempt_are_told(
    tmp_path: Path, hub: FakeHub, monkeypatch: pytest.MonkeyPatch, which: Hub, name: str
) -> None:
    monkeypatch.setattr(http, "RETRY_WAITS", (0.01, 0.02))
    hub.statuses = [503, 503, 503]
    told: list[Note | Progress] = []
    with pytest.raises(ModelMissing, match=r"it answers 503; use --hub .* folder: --from FOLDER$"):
        pinned_store(tmp_path, hub).pull(["net"], PullOptions(hub=which), told.append)
    assert [event.text for event in told if isinstance(event, Note)] == [
        f"asking for Tiny/Model on {name} ({hub.url})",
        f"{name}: it answers 503; trying again in 0.01 s",
        f"{name}: it answers 503; trying again in 0.02 s",
    ]


def test_an_unpinned_model_needs_the_users_consent(tmp_path: Path, hub: FakeHub) -> None:
    with pytest.raises(ModelMissing, match=r"knows no hash of the files of net; .*--allow-unpinned"):
        unpinned_store(tmp_path).pull(["net"])
    assert hub.requests == []


@HUBS
def test_an_unpinned_model_is_recorded_and_checked_after(tmp_path: Path, hub: FakeHub, which: Hub) -> None:
    hub.files |= {"config.json": b"{}", "model.py": b"print()", ".hidden.json": b"", "../evil.json": b""}
    store = unpinned_store(tmp_path / "store")
    assert store.pull(["net"], PullOptions(allow_unpinned=True, hub=which)) == ("net",)
    visible = {path.name for path in (tmp_path / "store" / "net").iterdir() if path.name[0] != "."}
    assert visible == {"net.bin", "labels.yml", "config.json"}
    assert not (tmp_path / "store" / "evil.json").exists()
    (store.root / "net" / "config.json").write_bytes(b"[1]")
    with pytest.raises(ModelMissing, match=r"config\.json is damaged; run: .* --allow-unpinned"):
        store.folder("net")


def test_the_first_downloads_hash_holds_for_the_next(tmp_path: Path, hub: FakeHub) -> None:
    store = unpinned_store(tmp_path)
    store.pull(["net"], TRUSTING)
    store.path("net", "labels.yml").unlink()
    hub.files["labels.yml"] = b"labels: [table]"
    with pytest.raises(ModelMissing, match=r"labels\.yml from .* not kept"):
        store.pull(["net"], TRUSTING)


def test_a_hash_that_the_hub_announces_counts(tmp_path: Path, hub: FakeHub) -> None:
    store = unpinned_store(tmp_path)
    whole = hub.files["net.bin"]
    hub.files["net.bin"] = _Lying(whole)
    with pytest.raises(ModelMissing, match=r"net\.bin from .* not kept"):
        store.pull(["net"], TRUSTING)


def test_a_listing_in_an_unknown_form_is_one_line(tmp_path: Path, hub: FakeHub) -> None:
    hub.statuses = [200]
    with pytest.raises(ModelMissing, match="lists Tiny/Model in an unknown form") as caught:
        unpinned_store(tmp_path).pull(["net"], TRUSTING)
    assert "\n" not in caught.value.message


class _Lying(bytes):
    """Content of which a slice, which is what the hub sends, is not what it says it is."""

    def __getitem__(self, _key: object) -> bytes:  # type: ignore[override]  # only slices are asked for
        return b"x" * len(self)
