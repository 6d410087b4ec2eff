"""The command `arcscribe models verify` with converted models."""

import shutil
from pathlib import Path

import pytest
from PIL import Image

from arcscribe.models.verification import Verification, VerifyCheck
from arcscribe.tools.verify_report import show_verification
from samples.checkpoints.checkpoint import write_checkpoint
from tests.tools.test_models import run
from tests.vlm_stage.convert.conversions import FP16, converted
from tests.vlm_stage.verify.spoiling import replace_file

NAME = "toy-fp16"


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("toy")
    write_checkpoint(folder / "checkpoint")
    converted(folder / "checkpoint", folder / NAME, FP16)
    return folder


@pytest.fixture
def root(toy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store with a converted model."""
    store = tmp_path / "store"
    shutil.copytree(toy / NAME, store / NAME)
    monkeypatch.setenv("ARCSCRIBE_MODELS", str(store))
    return store


def test_a_converted_model_is_hashed_run_and_shown_as_a_table(root: Path, toy: Path, tmp_path: Path) -> None:
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    Image.new("RGB", (400, 60), "white").save(pictures / "blank.png")
    options = ("--steps", "4", "--images", str(pictures), "--checkpoint", str(toy / "checkpoint"))
    code, shown, steps = run("verify", NAME, "--device", "CPU", "--kv-precision", "u8", *options)
    assert code == 0
    lines = shown.splitlines()
    assert f"{NAME}/decoder.bin: verified" in lines
    assert f"{NAME} on CPU" in lines
    assert "  computed: vision f32, decoder f32, KV cache u8" in lines
    assert "  pictures: blank.png; up to 4 tokens of each" in lines
    rows = lines[lines.index(next(line for line in lines if line.startswith("check "))) :]
    assert rows[1].split() == ["files", "10", "whole,", "by", "their", "hashes", "all", "whole", "ok"]
    names = ("parameters", "weights of decoder.xml in fp16", "image tokens", "logits", "decoder, one text")
    assert all(any(row.startswith(name) for row in rows) for name in names)
    assert steps.splitlines()[0] == "check the files"


def test_a_folder_is_verified_as_a_name_is(
    root: Path, toy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(toy)
    shutil.rmtree(root / NAME)
    for given in (NAME, str(toy / NAME)):
        code, shown, complaint = run("verify", given, "--steps", "1")
        assert (code, complaint.count("error")) == (0, 0)
        assert f"{given}/decoder.bin: verified" in shown.splitlines()
        assert f"{NAME} on CPU" in shown.splitlines()


def test_a_name_in_the_store_goes_before_a_folder_of_that_name(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / NAME).mkdir()
    (tmp_path / "embedded").mkdir()
    assert run("verify", NAME, "--steps", "1")[0] == 0
    code, _, complaint = run("verify", "embedded")
    assert code == 1
    assert complaint.startswith("error: not whole: layout-cdla, ")


def test_a_folder_without_a_converted_model_is_refused(root: Path, tmp_path: Path) -> None:
    told = "is not a converted model: it has no arcscribe.json"
    code, shown, complaint = run("verify", str(tmp_path))
    assert (code, shown, complaint) == (1, "", f"error: {tmp_path} {told}\n")
    (tmp_path / "config.json").write_text("{}")
    complaint = run("verify", str(tmp_path))[2]
    assert complaint.endswith(f"of this checkpoint, run: arcscribe models convert {tmp_path}\n")


def test_a_damaged_folder_is_not_run(root: Path) -> None:
    (root / NAME / "vision.bin").write_bytes(b"cut off")
    folder = root.parent / "elsewhere"
    (root / NAME).rename(folder)
    code, shown, complaint = run("verify", str(folder))
    assert code == 1
    assert f"{folder}/vision.bin: damaged\n" in shown
    command = f"arcscribe models convert FOLDER_OF_ITS_CHECKPOINT --precision fp16 --out {folder} --force"
    assert complaint == f"error: not whole: {folder}; run: {command}\n"


def test_what_is_neither_a_model_nor_a_folder_is_refused(root: Path) -> None:
    code, shown, complaint = run("verify", "./nothing")
    assert (code, shown) == (1, "")
    assert "./nothing" in complaint


@pytest.mark.parametrize(
    ("options", "computed"),
    [
        (["bf16"], "vision bf16, decoder bf16, KV cache bf16"),
        (["bf16", "--vision-precision", "f32"], "vision f32, decoder bf16, KV cache bf16"),
    ],
)
def test_a_device_can_be_looked_at_in_another_precision(
    options: list[str], computed: str, root: Path
) -> None:
    code, shown, _ = run("verify", NAME, "--steps", "1", "--inference-precision", *options)
    assert code == 0
    assert f"  computed: {computed}" in shown.splitlines()


def test_a_damaged_model_is_not_run(root: Path) -> None:
    (root / NAME / "vision.bin").write_bytes(b"cut off")
    code, shown, complaint = run("verify", NAME, "--device", "CPU")
    assert code == 1
    assert f"{NAME}/vision.bin: damaged\n" in shown
    assert "check " not in shown
    command = f"arcscribe models convert FOLDER_OF_ITS_CHECKPOINT --precision fp16 --name {NAME} --force"
    assert complaint == f"error: not whole: {NAME}; run: {command}\n"


def test_a_device_that_is_not_there_is_one_line(root: Path) -> None:
    code, _, complaint = run("verify", NAME, "--device", "GPU.5")
    assert (code, complaint) == (1, "error: OpenVINO sees no device GPU.5; it sees: CPU\n")


def test_weights_of_another_checkpoint_fail_after_the_table(root: Path, toy: Path, tmp_path: Path) -> None:
    write_checkpoint(tmp_path / "other", seed=3)
    other = converted(tmp_path / "other", tmp_path / "other-fp16", FP16)
    replace_file(root / NAME, "decoder.bin", (other / "decoder.bin").read_bytes())
    options = ("--steps", "4", "--checkpoint", str(toy / "checkpoint"))
    code, shown, complaint = run("verify", NAME, *options)
    row = next(line for line in shown.splitlines() if line.startswith("weights of decoder.xml"))
    assert (code, row.split()[-1]) == (1, "FAILS")
    told = f"error: {NAME} on CPU is not what it should be: weights of decoder.xml in fp16\n"
    assert complaint.endswith(told)


def test_another_checkpoint_than_was_converted_is_refused(root: Path, tmp_path: Path) -> None:
    write_checkpoint(tmp_path / "other", seed=3)
    code, shown, complaint = run("verify", NAME, "--checkpoint", str(tmp_path / "other"))
    assert code == 1
    assert "check " not in shown
    assert "is not the checkpoint that toy-fp16 was converted from: model.safetensors" in complaint


def test_what_only_runs_is_refused_for_models_that_are_only_hashed(root: Path) -> None:
    code, _, complaint = run("verify", "--device", "CPU")
    assert code == 1
    assert complaint == "error: name a converted model to run it; the others are only hashed\n"


def test_a_check_that_fails_says_so_in_its_row(capsys: pytest.CaptureFixture[str]) -> None:
    checks = (
        VerifyCheck("logits", "9% [of all]", "1%", False),
        VerifyCheck("files", "all", "all", True),
        VerifyCheck("speed", "3 tokens/s"),
    )
    show_verification(Verification("model [b]", "GPU", {"stored": "[int8]"}, checks))
    first, fact, _, *rows = capsys.readouterr().out.splitlines()
    assert (first, fact) == ("model [b] on GPU", "  stored: [int8]")
    assert [row.split() for row in rows] == [
        ["logits", "9%", "[of", "all]", "1%", "FAILS"],
        ["files", "all", "all", "ok"],
        ["speed", "3", "tokens/s"],
    ]
