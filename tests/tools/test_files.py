"""Where results go, and how they get there: whole or not at all."""

import os
import stat
from pathlib import Path

import pytest

from arcscribe.errors import InvalidOption
from arcscribe.tools.files import OutputPaths, plan_outputs, write_atomically


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def plan(
    *inputs: str, out: str = "", images: str | None = None, suffix: str = ".md"
) -> tuple[OutputPaths, ...]:
    folder = Path(images) if images else None
    return plan_outputs([Path(name) for name in inputs], out, folder, None, suffix)


def test_one_document_without_out_goes_to_the_standard_output() -> None:
    assert plan("a.pdf") == (OutputPaths(None, None, "", None),)


def test_pictures_may_be_wanted_though_the_result_goes_to_the_standard_output() -> None:
    assert plan("a.pdf", images="img/a") == (OutputPaths(None, Path("img/a"), "img/a", None),)


@pytest.mark.parametrize(
    ("out", "result", "links"),
    [
        ("b.md", "b.md", "b_images"),
        ("new/b.md", "new/b.md", "b_images"),
        ("new/", "new/a.md", "a_images"),
        ("folder", "folder/a.md", "a_images"),
        ("b", "b", "b_images"),
    ],
)
def test_out_is_a_file_unless_it_is_a_folder_or_ends_as_one(
    here: Path, out: str, result: str, links: str
) -> None:
    (here / "folder").mkdir()
    (paths,) = plan("docs/a.pdf", out=out)
    assert paths.result == Path(result)
    assert paths.picture_links == links
    assert paths.pictures == Path(result).with_name(links)


def test_links_lead_from_the_result_to_the_pictures() -> None:
    (paths,) = plan("a.pdf", out="results/deep/a.md", images="img")
    assert paths.picture_links == "../../img"


def test_several_documents_go_to_one_folder_each_with_pictures_of_its_own() -> None:
    first, second = plan("x/a.pdf", "b.png", out="results", images="img", suffix=".json")
    assert (first.result, second.result) == (Path("results/a.json"), Path("results/b.json"))
    assert (first.pictures, second.pictures) == (Path("img/a"), Path("img/b"))


def test_several_documents_without_out_are_refused() -> None:
    with pytest.raises(InvalidOption, match="--out DIR"):
        plan("a.pdf", "b.pdf")


def test_two_documents_that_would_be_one_file_are_refused() -> None:
    with pytest.raises(InvalidOption, match=r"x/a\.pdf and y/a\.png would both be written to out/a\.md"):
        plan("x/a.pdf", "y/a.png", out="out")


def test_a_result_that_would_replace_a_document_is_refused(here: Path) -> None:
    (here / "a.pdf").write_bytes(b"the only copy")
    (here / "link.md").symlink_to("a.pdf")
    for out in ("a.pdf", "link.md"):
        with pytest.raises(InvalidOption, match="one of the documents themselves"):
            plan("a.pdf", out=out)


def test_a_file_is_written_with_its_folders_and_the_usual_permissions(here: Path) -> None:
    before = os.umask(0o027)
    try:
        write_atomically(Path("new/deep/a.md"), b"text")
        assert os.umask(0o027) == 0o027
    finally:
        os.umask(before)
    path = here / "new/deep/a.md"
    assert path.read_bytes() == b"text"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_file_is_replaced(here: Path) -> None:
    (here / "a.md").write_bytes(b"old and longer")
    write_atomically(Path("a.md"), b"new")
    assert {path.name: path.read_bytes() for path in here.iterdir()} == {"a.md": b"new"}


@pytest.mark.parametrize("error", [OSError("disk full"), KeyboardInterrupt()])
def test_what_goes_wrong_in_between_leaves_the_old_file_and_nothing_else(
    here: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    def fail(_descriptor: int) -> None:
        raise error

    (here / "a.md").write_bytes(b"old")
    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(type(error)):
        write_atomically(Path("a.md"), b"new")
    assert {path.name: path.read_bytes() for path in here.iterdir()} == {"a.md": b"old"}


def test_a_file_whose_folder_is_a_file_cannot_be_written(here: Path) -> None:
    (here / "a").write_bytes(b"")
    with pytest.raises(OSError, match=r"exists|directory"):
        write_atomically(Path("a/b.md"), b"new")
    assert [path.name for path in here.iterdir()] == ["a"]


def test_a_link_is_followed(here: Path) -> None:
    (here / "real").mkdir()
    (here / "real/a.md").write_bytes(b"old")
    (here / "a.md").symlink_to("real/a.md")
    write_atomically(Path("a.md"), b"new")
    assert (here / "a.md").is_symlink()
    assert (here / "real/a.md").read_bytes() == b"new"


def test_what_is_no_file_is_written_to_as_it_is(here: Path) -> None:
    os.mkfifo(here / "pipe")
    reader = os.open(here / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_atomically(Path("pipe"), b"text")
        assert os.read(reader, 10) == b"text"
    finally:
        os.close(reader)
    assert stat.S_ISFIFO((here / "pipe").stat().st_mode)


def test_a_name_of_the_longest_length_can_be_written(here: Path) -> None:
    write_atomically(Path("x" * 255), b"text")
    assert [path.name for path in here.iterdir()] == ["x" * 255]


def test_what_cannot_be_written_is_named_and_not_by_its_passing_name(here: Path) -> None:
    (here / "in the way").write_text("")
    with pytest.raises(OSError, match=r"in the way/a\.md"):
        write_atomically(here / "in the way" / "a.md", b"x")


def test_pictures_of_a_file_whose_name_is_not_unicode_lie_where_links_lead() -> None:
    (paths,) = plan("bad\udcff.png", out="results/")
    assert paths.result == Path("results/bad\udcff.md")
    assert paths.pictures == Path("results/bad?_images")
    assert paths.picture_links == "bad?_images"
