"""The process `python -m vlm_stage.verify`: events, one line for what is wrong, and the exit status."""

import json
import re
import subprocess
import sys
from itertools import islice
from pathlib import Path

import numpy as np
from PIL import Image

from tests.vlm_stage.verify.spoiling import replace_file


def run(*arguments: str) -> tuple[int, str, str]:
    command = [sys.executable, "-m", "vlm_stage.verify", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    return done.returncode, done.stdout, done.stderr


def test_its_output_is_events_and_nothing_else(exact_model: Path, tmp_path: Path) -> None:
    Image.new("RGB", (300, 80), "white").save(tmp_path / "blank.PNG")
    (tmp_path / "notes.txt").write_text("no picture")
    status, output, errors = run(str(exact_model), "--steps", "4", "--images", str(tmp_path))
    assert (status, errors) == (0, "")
    *steps, done = [json.loads(line) for line in output.splitlines()]
    assert {step["type"] for step in steps} == {"step"}
    stages = list(dict.fromkeys(step["stage"] for step in steps))
    assert stages[0] == "check the files"
    assert stages[-1] == "find the largest activations"
    assert done["type"] == "done"
    assert done["facts"]["pictures"] == "blank.PNG; up to 4 tokens of each"


def test_a_check_that_fails_is_an_error_after_the_report(model: Path) -> None:
    content = bytearray((model / "vision.bin").read_bytes())
    content[1000] ^= 1
    (model / "vision.bin").write_bytes(content)
    status, output, errors = run(str(model))
    assert status == 1
    done = json.loads(output.splitlines()[-1])
    assert [check["name"] for check in done["checks"] if not check["passed"]] == ["files"]
    assert errors == "error: toy-fp32 on CPU is not what it should be: files\n"


def test_a_device_that_is_not_there_is_one_line(exact_model: Path) -> None:
    status, output, errors = run(str(exact_model), "--device", "GPU.3")
    assert (status, output) == (1, "")
    assert errors == "error: OpenVINO sees no device GPU.3; it sees: CPU\n"


def test_a_network_that_cannot_be_read_is_one_line(model: Path) -> None:
    replace_file(model, "decoder.xml", b"<net>")
    status, _, errors = run(str(model))
    assert status == 1
    *noise, told = errors.splitlines()  # of OpenVINO's, which tries to read it as other formats too
    assert not [line for line in noise if line.startswith("error: ")]
    assert told.startswith("error: ")
    assert told.endswith("decoder.xml cannot be read as a model")


def test_pictures_that_are_none_are_refused(exact_model: Path, tmp_path: Path) -> None:
    assert run(str(exact_model), "--images", str(tmp_path / "nowhere"))[2].endswith("nowhere is no folder\n")
    assert "holds no picture (.bmp, " in run(str(exact_model), "--images", str(exact_model))[2]
    (tmp_path / "page.png").write_bytes(b"none")
    assert "page.png cannot be read as a picture" in run(str(exact_model), "--images", str(tmp_path))[2]


def test_a_picture_that_is_damaged_behind_its_head_is_refused(exact_model: Path, tmp_path: Path) -> None:
    pixels = np.random.default_rng(0).integers(0, 256, (300, 300, 3), np.uint8)
    Image.fromarray(pixels).save(tmp_path / "page.png")
    content = (tmp_path / "page.png").read_bytes()
    _, second = (place.start() for place in islice(re.finditer(b"IDAT", content), 2))
    (tmp_path / "page.png").write_bytes(content[:second] + b"\0\0\0\0" + content[second + 4 :])
    status, _, errors = run(str(exact_model), "--images", str(tmp_path))
    assert (status, errors.count("\n")) == (1, 1)
    assert "page.png cannot be read as a picture: broken PNG file" in errors


def test_a_precision_that_there_is_not_is_refused(exact_model: Path) -> None:
    assert "Invalid enum value 'f8'" in run(str(exact_model), "--kv-precision", "f8")[2]
