from collections.abc import Iterator
from pathlib import Path

import pytest

from arcscribe.models.sources import http
from tests.models.fake_hub import FakeHub, serving


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeHub]:
    """A running hub that both kinds of clients talk to."""
    with serving(FakeHub({"net.bin": bytes(range(256)) * 8192, "labels.yml": b"labels: [text]\n"})) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        monkeypatch.setenv("MODELSCOPE_DOMAIN", hub.url)
        monkeypatch.delenv("HF_TOKEN", raising=False)
        monkeypatch.setattr(http, "RETRY_WAITS", (0.0, 0.0))
        yield hub


@pytest.fixture
def wheels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder in which pip finds wheels; it asks no network."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder
