"""The commands `arcscribe models list`, `pull` and `verify`, and the one line that errors are."""

import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from typer.testing import CliRunner

from arcscribe.errors import QueueFull
from arcscribe.models import ModelStore, load_catalog
from arcscribe.models.converted import FORMAT, MANIFEST, ConvertedModel
from arcscribe.tools.errors import one_line_errors
from arcscribe.tools.models import app

SEAL = "pp-ocrv4_mobile_seal_det.onnx"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty store that the commands use."""
    monkeypatch.setenv("ARCSCRIBE_MODELS", str(tmp_path / "store"))
    return tmp_path / "store"


def run(*arguments: str) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of a command."""
    result = CliRunner().invoke(app, list(arguments))
    return result.exit_code, result.stdout, result.stderr


def test_list_shows_every_model_on_a_line_with_its_state(root: Path) -> None:
    code, shown, _ = run("list")
    lines = {line.split()[0]: line for line in shown.splitlines() if line}
    assert code == 0
    assert lines.keys() >= load_catalog().models.keys()
    assert lines["layout-cdla"].split()[-1] == "absent"
    assert lines["pp-doclayout-v2"].endswith("absent, unpinned")


def test_names_with_brackets_are_listed_as_they_are(root: Path) -> None:
    model = ConvertedModel(FORMAT, "[/b]", "[red]", {}, ())
    (root / "[i]").mkdir(parents=True)
    (root / "[i]" / MANIFEST).write_bytes(msgspec.json.encode(model))
    status, output, _ = run("list")
    assert status == 0
    assert "[/b] ([red])" in next(line for line in output.splitlines() if line.startswith("[i]"))


def test_an_installed_package_is_pulled_verified_and_listed(root: Path) -> None:
    code, shown, steps = run("pull", "text-line-orientation", "--offline")
    assert (code, shown) == (0, f"1 pulled, 0 already there; store: {root}\n")
    assert steps == "text-line-orientation/ch_ppocr_mobile_v2.0_cls_mobile.onnx\n"
    assert run("pull", "text-line-orientation")[1] == f"0 pulled, 1 already there; store: {root}\n"
    name = "text-line-orientation/ch_ppocr_mobile_v2.0_cls_mobile.onnx"
    assert run("verify") == (0, f"{name}: verified\n", "")


def test_verify_names_what_is_not_whole_and_what_mends_it(root: Path) -> None:
    (root / "seal-det").mkdir(parents=True)
    (root / "seal-det" / SEAL).write_bytes(b"cut off")
    code, shown, complaint = run("verify")
    assert (code, shown) == (1, f"seal-det/{SEAL}: damaged\n")
    assert complaint == "error: not whole: seal-det; run: arcscribe models pull seal-det\n"
    assert "damaged; run: arcscribe models pull seal-det" in run("list")[1]


def test_verify_of_an_absent_converted_model_names_the_commands_that_bring_it(root: Path) -> None:
    code, _, complaint = run("verify", "paddleocr-vl-1.6-int8")
    assert code == 1
    assert complaint == (
        f"error: {root}/paddleocr-vl-1.6-int8 is not there; run: arcscribe models pull paddleocr-vl-1.6"
        " && arcscribe models convert paddleocr-vl-1.6 --precision int8\n"
    )


def test_a_model_is_removed_in_one_line_and_what_is_absent_is_refused(root: Path) -> None:
    (root / "seal-det").mkdir(parents=True)
    (root / "seal-det" / SEAL).write_bytes(bytes(2_300_000))
    assert run("remove", "seal-det") == (0, "seal-det removed: 2.3 MB freed\n", "")
    assert run("remove", "seal-det") == (1, "", f"error: nothing of seal-det is in {root}\n")


def test_a_checkpoint_of_ones_own_is_told_to_be_converted_where_it_cannot_be_pulled(
    root: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "config.json").write_text("{}")
    code, _, complaint = run("pull", "paddleocr-vl-1.6", "--from", str(folder))
    assert code == 1
    assert complaint.endswith(
        f"; a checkpoint of your own needs no pull: arcscribe models convert {folder}\n"
    )
    assert not (root / "paddleocr-vl-1.6").exists()


def test_verify_of_a_store_without_files_says_what_to_do(root: Path) -> None:
    (root / "seal-det").mkdir(parents=True)
    code, _, complaint = run("verify")
    assert code == 1
    assert complaint == f"error: there is no model in {root}; run: arcscribe models pull embedded\n"


def test_a_model_without_known_hashes_is_refused_in_one_line(root: Path) -> None:
    code, _, complaint = run("pull", "pp-doclayout-v2")
    assert code == 1
    assert complaint.endswith("run: arcscribe models pull pp-doclayout-v2 --allow-unpinned\n")
    assert complaint.count("\n") == 1


def test_a_damaged_file_is_pulled_anew_from_a_folder(root: Path, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    code, _, complaint = run("pull", "seal-det", "--from", str(folder))
    assert (code, complaint.splitlines()[-1]) == (
        1,
        f"error: {folder}/{SEAL} is not there",
    )
    assert not ModelStore(root).has("seal-det")


@pytest.mark.parametrize(
    ("error", "line", "code"),
    [
        (QueueFull("no room;\n  try again"), "error: no room; try again\n", 1),
        (
            FileNotFoundError(2, "No such file or directory", "a.pdf"),
            "error: a.pdf: No such file or directory\n",
            1,
        ),
        (OSError("odd"), "error: odd\n", 1),
        (KeyboardInterrupt(), "interrupted\n", 130),
    ],
)
def test_errors_come_out_as_one_line(
    error: BaseException, line: str, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught, one_line_errors():
        raise error
    assert caught.value.code == code
    assert capsys.readouterr().err == line


def test_a_traceback_is_to_be_had_for_debugging(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARCSCRIBE_DEBUG", "1")
    with pytest.raises(QueueFull), one_line_errors():
        raise QueueFull("no room")


def test_a_reader_that_leaves_hears_no_complaint(root: Path) -> None:
    command = [sys.executable, "-c", "from arcscribe.tools.models import app; app()", "list"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout
        assert process.stderr
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(30) == 1
