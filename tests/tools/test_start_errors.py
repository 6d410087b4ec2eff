"""What keeps the three processes from starting, in words that a user knows."""

import tempfile
from pathlib import Path

import pytest

from arcscribe.errors import StageUnavailable
from arcscribe.tools.local_service import LocalService, LocalSettings
from arcscribe.tools.private_folder import private_folder


def test_a_wrong_setting_is_told_without_the_file_that_is_gone_by_then() -> None:
    service = LocalService(LocalSettings(orchestrator={"max_documents": 0}))
    with pytest.raises(StageUnavailable) as caught:
        service.__enter__()
    assert caught.value.message == "settings of orchestrator: Expected `int` >= 1 - at `$.max_documents`"


def test_a_folder_for_temporary_files_that_is_too_long_for_sockets_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deep = tmp_path / ("x" * 80)
    deep.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(deep))
    with private_folder() as folder:
        assert not folder.is_relative_to(deep)
        assert len(str(folder / "orchestrator.sock")) <= 107
    assert not folder.exists()
