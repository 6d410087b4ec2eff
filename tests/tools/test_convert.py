"""The command `arcscribe models convert`, and converted models in `list` and `verify`."""

import importlib.util
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from arcscribe.models import ModelStore
from samples.checkpoints.checkpoint import write_checkpoint
from tests.tools.test_models import run

STAGES = [
    "check weights",
    "hash checkpoint",
    *(
        f"{what} {network}"
        for network in ("vision", "embeddings", "decoder")
        for what in ("build", "compress", "write")
    ),
    "hash result",
]
AGAIN = "arcscribe models convert FOLDER_OF_ITS_CHECKPOINT --precision fp16 --name toy-fp16 --force"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty store that the commands use."""
    monkeypatch.setenv("ARCSCRIBE_MODELS", str(tmp_path / "store"))
    return tmp_path / "store"


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("checkpoints") / "toy"
    write_checkpoint(folder)
    return folder


@pytest.fixture
def converted(root: Path, toy: Path) -> Path:
    """A converted model in the store."""
    assert run("convert", str(toy), "--precision", "fp16")[0] == 0
    return root / "toy-fp16"


def test_a_folder_goes_into_the_store_under_its_name_and_precision(root: Path, toy: Path) -> None:
    code, shown, steps = run("convert", str(toy))
    assert code == 0
    assert shown == f"toy-int8: 0.4 M parameters, 1 MB in {root / 'toy-int8'}\n"
    assert steps.splitlines() == STAGES
    model = ModelStore(root).converted("toy-int8")
    assert (model.name, model.version) == ("paddleocr-vl", "unknown")
    assert model.precisions == {"vision": "int8", "embeddings": "int8", "decoder": "int8"}


def test_it_goes_where_it_is_told_to(root: Path, toy: Path, tmp_path: Path) -> None:
    assert run("convert", str(toy), "--precision", "int4", "--vision", "fp16", "--name", "reader")[0] == 0
    assert ModelStore(root).converted("reader").precisions["vision"] == "fp16"
    assert run("convert", str(toy), "--precision", "fp32", "--out", str(tmp_path / "elsewhere"))[0] == 0
    assert (tmp_path / "elsewhere" / "decoder.xml").is_file()
    assert ModelStore(root).converted_names() == ("reader",)


def test_a_calibrated_model_has_a_name_of_its_own(root: Path, toy: Path, samples: Path) -> None:
    picture = samples / "tables.png"
    code, _, steps = run("convert", str(toy), "--calibrate", str(picture), "--precision", "int8")
    assert code == 0
    assert "calibrate vision" in steps
    assert ModelStore(root).converted("toy-int8-calibrated").precisions["vision"] == "int8-calibrated"


@pytest.mark.parametrize(
    ("absent", "options", "needed"),
    [
        ({"jinja2"}, [], "jinja2"),
        ({"jinja2", "nncf"}, [], "jinja2 and nncf"),
        ({"jinja2", "nncf"}, ["--precision", "fp16"], "jinja2"),
        ({"nncf"}, ["--precision", "fp16", "--vision", "int8"], "nncf"),
    ],
)
def test_a_package_that_is_not_installed_is_named_with_the_command_that_brings_it(
    root: Path,
    toy: Path,
    monkeypatch: pytest.MonkeyPatch,
    absent: set[str],
    options: list[str],
    needed: str,
) -> None:
    real = importlib.util.find_spec
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name in absent else real(name))
    told = f"error: this conversion needs {needed}; run in the clone: pip install '.[convert]'\n"
    assert run("convert", str(toy), *options) == (1, "", told)
    assert not root.exists()


def test_a_model_is_converted_again_by_force_only(converted: Path, toy: Path) -> None:
    code, _, complaint = run("convert", str(toy), "--precision", "fp16")
    assert (code, complaint) == (1, f"error: {converted} is there; --force converts again\n")
    assert run("convert", str(toy), "--precision", "fp16", "--force")[0] == 0


def test_converted_models_are_listed_and_verified(converted: Path) -> None:
    line = next(line for line in run("list")[1].splitlines() if line.startswith("toy-fp16"))
    assert line.split("  ", 1)[1].strip().startswith("document VLM, converted")
    assert line.split()[-1] == "present"
    code, shown, _ = run("verify")
    assert code == 0
    assert "toy-fp16/decoder.bin: verified\n" in shown


def test_a_damaged_model_is_seen_by_both(converted: Path) -> None:
    content = bytearray((converted / "decoder.bin").read_bytes())
    content[1000] ^= 1
    (converted / "decoder.bin").write_bytes(content)
    (converted / "vision.xml").unlink()
    code, shown, complaint = run("verify", "toy-fp16")
    assert code == 1
    assert "toy-fp16/decoder.bin: damaged\n" in shown
    assert "toy-fp16/vision.xml: missing\n" in shown
    assert complaint == f"error: not whole: toy-fp16; run: {AGAIN}\n"
    assert f"damaged; run: {AGAIN}" in run("list")[1]


def test_a_damaged_manifest_hides_no_other_model(converted: Path) -> None:
    (converted / "arcscribe.json").write_text("{")
    code, shown, _ = run("list")
    line = next(line for line in shown.splitlines() if line.startswith("toy-fp16"))
    assert code == 0
    assert line.rstrip().endswith(f"damaged; run: {AGAIN}")
    code, _, complaint = run("verify", "toy-fp16")
    assert code == 1
    assert f"arcscribe.json is damaged; run: {AGAIN}" in complaint


def test_a_model_of_another_format_is_not_listed_as_present(converted: Path) -> None:
    (converted / "arcscribe.json").write_text('{"format": 2}')
    line = next(line for line in run("list")[1].splitlines() if line.startswith("toy-fp16"))
    assert line.rstrip().endswith(f"other format; run: {AGAIN}")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["nowhere"], "there is no model and no folder 'nowhere'"),
        (["seal-det"], "seal-det is for seal text detection, and runs as it is"),
        (["paddleocr-vl-1.6"], "config.json is missing; run: arcscribe models pull paddleocr-vl-1.6"),
        (["TOY", "--name", "pp-ocrv5"], "pp-ocrv5 is a name of the catalog; choose another with --name"),
        (["TOY", "--name", "../up"], "'../up' cannot be a model's name; choose one with --name"),
        (["TOY", "--name", "a/"], "'a/' cannot be a model's name"),
        (["TOY", "--name", ".hidden"], "'.hidden' cannot be a model's name"),
        (["TOY", "--name=--force"], "'--force' cannot be a model's name"),
        (["TOY", "--name", " a"], "' a' cannot be a model's name"),
        (["TOY", "--name", "a\u3000"], r"'a\u3000' cannot be a model's name"),
        (["TOY", "--name", "a\nb"], r"'a\nb' cannot be a model's name"),
        (["TOY", "--name", "a\x1b[2Jb"], r"'a\x1b[2Jb' cannot be a model's name"),
        (["TOY", "--name", "x", "--out", "y"], "--name is for the store, --out for another folder"),
        (["TOY", "--precision", "fp16", "--calibrate", "."], "pictures calibrate INT8"),
    ],
)
def test_what_cannot_be_is_one_line(arguments: list[str], told: str, root: Path, toy: Path) -> None:
    code, shown, complaint = run("convert", *(str(toy) if part == "TOY" else part for part in arguments))
    assert (code, shown) == (1, "")
    assert complaint.startswith("error: ")
    assert complaint.count("\n") == 1
    assert told in complaint
    assert not root.exists()


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_conversion_that_is_broken_off_leaves_nothing(
    number: signal.Signals, status: int, root: Path, toy: Path
) -> None:
    command = [sys.executable, "-m", "arcscribe.tools", "models", "convert", str(toy)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr
        for line in process.stderr:
            if line == "build vision\n":
                break
        process.send_signal(number)
        assert process.wait(60) == status
        rest = process.stderr.read().splitlines()
    assert [line for line in rest if line not in STAGES] == (
        ["interrupted"] if number is signal.SIGINT else []
    )
    assert list(root.iterdir()) == []
