"""A folder appears whole, or not at all, and never in the place of something else."""

import errno
import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from arcscribe.errors import InvalidOption, ModelMissing
from arcscribe.models.converted import MANIFEST
from vlm_stage.convert.new_folder import check_space, check_target, new_folder


def files_of(folder: Path) -> dict[str, str]:
    """All files below a folder, hidden ones too, and what they hold."""
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}


def make(target: Path, content: str, error: BaseException | None = None) -> None:
    with new_folder(target) as folder:
        assert folder.parent == target.parent
        (folder / MANIFEST).write_text(content)
        if error:
            raise error


def test_it_appears_at_the_end_and_nothing_stays_beside_it(tmp_path: Path) -> None:
    target = tmp_path / "store" / "model"
    with new_folder(target) as folder:
        (folder / MANIFEST).write_text("new")
        assert not target.exists()
    assert files_of(tmp_path) == {f"store/model/{MANIFEST}": "new"}
    assert [path.name for path in target.parent.iterdir()] == ["model"]


def test_it_takes_the_place_of_the_old(tmp_path: Path) -> None:
    make(tmp_path / "model", "old")
    (tmp_path / "model" / "more").write_text("old")
    make(tmp_path / "model", "new")
    assert files_of(tmp_path) == {f"model/{MANIFEST}": "new"}


@pytest.mark.parametrize("error", [RuntimeError(), KeyboardInterrupt(), SystemExit(143), ModelMissing("x")])
def test_what_fails_leaves_the_old_and_nothing_else(error: BaseException, tmp_path: Path) -> None:
    make(tmp_path / "model", "old")
    with pytest.raises(type(error)):
        make(tmp_path / "model", "half written", error)
    assert files_of(tmp_path) == {f"model/{MANIFEST}": "old"}


def test_what_a_killed_process_left_is_removed(tmp_path: Path) -> None:
    (tmp_path / ".model.part").mkdir()
    (tmp_path / ".model.part" / "half").write_text("written")
    make(tmp_path / "model", "new")
    assert files_of(tmp_path) == {f"model/{MANIFEST}": "new"}


def test_what_a_link_in_its_place_points_to_is_not_touched(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letters").write_text("mine")
    (tmp_path / ".model.part").symlink_to(tmp_path / "mine")
    with pytest.raises(ModelMissing, match="model cannot be written"):
        make(tmp_path / "model", "new")
    assert files_of(tmp_path) == {"mine/letters": "mine"}


def test_a_target_that_is_a_link_stays_one(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "large disk" / "model")
    for content in ("old", "new"):
        with new_folder(tmp_path / "link") as folder:
            (folder / MANIFEST).write_text(content)
    assert (tmp_path / "link").is_symlink()
    assert files_of(tmp_path) == {f"large disk/model/{MANIFEST}": "new"}


def test_of_two_at_once_the_second_is_refused_and_does_no_harm(tmp_path: Path) -> None:
    with new_folder(tmp_path / "model") as first:
        (first / MANIFEST).write_text("first")
        with (
            pytest.raises(InvalidOption, match="another conversion writes"),
            new_folder(tmp_path / "model"),
        ):
            pytest.fail("it was let in")
    assert files_of(tmp_path) == {f"model/{MANIFEST}": "first"}


def test_the_old_comes_back_if_the_new_cannot_be_moved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(tmp_path / "model", "old")
    replace = Path.replace

    def fail_for_the_new(self: Path, target: Path) -> Path:
        if self.name.endswith(".part"):
            raise OSError(errno.EIO, os.strerror(errno.EIO), str(self))
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", fail_for_the_new)
    with pytest.raises(ModelMissing, match="Input/output error"):
        make(tmp_path / "model", "new")
    assert files_of(tmp_path) == {f"model/{MANIFEST}": "old"}


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (errno.ENOSPC, "no space is left for .*model; nothing was kept"),
        (errno.EDQUOT, "no space is left"),
        (errno.EACCES, r"model cannot be written \(Permission denied\); choose another --out"),
    ],
)
def test_what_the_system_says_comes_out_as_a_line(number: int, words: str, tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match=words), new_folder(tmp_path / "model") as folder:
        raise OSError(number, os.strerror(number), str(folder / "x"))
    assert files_of(tmp_path) == {}


def test_a_place_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(ModelMissing, match="cannot be written"):
        make(tmp_path / "file" / "model", "new")
    assert files_of(tmp_path) == {"file": "mine"}


def test_errors_of_other_files_are_not_taken_for_its_own(tmp_path: Path) -> None:
    with pytest.raises(PermissionError), new_folder(tmp_path / "model"):
        raise PermissionError(errno.EACCES, "no", "/elsewhere/source")


def test_only_a_converted_model_is_replaced_and_only_by_force(tmp_path: Path) -> None:
    check_target(tmp_path / "model", force=False)
    (tmp_path / "model").mkdir()
    check_target(tmp_path / "model", force=False)
    (tmp_path / "model" / "letters").write_text("mine")
    for force in (False, True):
        with pytest.raises(InvalidOption, match="is there, and no converted model; choose another --out"):
            check_target(tmp_path / "model", force=force)
    (tmp_path / "model" / MANIFEST).touch()
    check_target(tmp_path / "model", force=True)
    with pytest.raises(InvalidOption, match="is there; --force converts again"):
        check_target(tmp_path / "model", force=False)
    with pytest.raises(InvalidOption, match="no converted model"):
        check_target(tmp_path / "model" / "letters", force=True)


def test_a_disk_too_small_is_told_with_its_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=1_500_000_000))
    check_space(tmp_path / "not" / "yet", 1_500_000_000)
    with pytest.raises(ModelMissing, match=r"has 1.5 GB free, and the model takes 2.5 GB; make room"):
        check_space(tmp_path / "not" / "yet", 2_500_000_000)
