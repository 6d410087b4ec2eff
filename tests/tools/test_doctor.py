"""`arcscribe doctor`."""

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from arcscribe.models import ModelStore
from arcscribe.tools import checks, doctor
from arcscribe.tools.checks import OpenVinoFindings, Outcome


@pytest.fixture
def empty(tmp_path: Path) -> ModelStore:
    return ModelStore(tmp_path / "not" / "there")


def run(*arguments: str) -> tuple[int, str]:
    """Exit code and output of the command."""
    app = typer.Typer()
    app.command()(doctor.doctor)
    result = CliRunner().invoke(app, list(arguments))
    return result.exit_code, result.stdout


def test_without_models_the_doctor_fails_and_says_what_to_run(
    empty: ModelStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARCSCRIBE_MODELS", str(empty.root))
    code, shown = run()
    assert code == 1
    assert f"error   models: missing or damaged in {empty.root}: layout-cdla, " in shown
    assert "-> run: arcscribe models pull embedded" in shown
    assert shown.endswith("documents cannot be parsed yet\n")


def test_the_report_is_to_be_had_as_json(empty: ModelStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARCSCRIBE_MODELS", str(empty.root))
    code, shown = run("--json")
    report = json.loads(shown)
    by_name = {check["name"]: check for check in report["checks"]}
    assert (code, report["usable"]) == (1, False)
    assert by_name["openvino"]["outcome"] == "ok"
    assert "CPU" in by_name["devices"]["found"]
    assert by_name["models"]["remedy"] == "run: arcscribe models pull embedded"


def test_with_the_embedded_models_nothing_stands_in_the_way(model_root: Path) -> None:
    report = doctor.examine(ModelStore(model_root))
    assert report.usable
    assert {check.outcome for check in report.checks} <= {Outcome.OK, Outcome.NOTE, Outcome.WARNING}


@pytest.mark.parametrize(("minor", "outcome"), [(10, "error"), (11, "ok"), (13, "ok"), (14, "error")])
def test_python_is_one_of_those_supported(minor: int, outcome: str) -> None:
    assert checks.check_python((3, minor, 0)).outcome == outcome


def test_a_missing_library_is_named() -> None:
    check = checks.check_libraries(("json", "no_such_library"))
    assert (check.outcome, check.found) == (Outcome.ERROR, "no no_such_library")


def test_an_openvino_that_does_not_load_is_a_finding() -> None:
    def broken() -> OpenVinoFindings:
        raise ImportError("libopenvino.so:\n cannot open shared object file")

    (check,) = checks.check_openvino(broken)
    assert check.outcome is Outcome.ERROR
    assert check.found == "does not load: libopenvino.so: cannot open shared object file"


@pytest.mark.parametrize(
    ("devices", "outcome"),
    [((), "error"), (("CPU (Xeon)",), "note"), (("CPU (Xeon)", "GPU.0 (Arc)"), "ok"), (("GPU (Arc)",), "ok")],
)
def test_devices_are_judged(devices: tuple[str, ...], outcome: str) -> None:
    _, check = checks.check_openvino(lambda: OpenVinoFindings("2026.4", devices))
    assert check.outcome == outcome
    assert bool(check.remedy) == (outcome != "ok")


def test_little_memory_is_a_warning_with_a_remedy() -> None:
    assert checks.check_memory(checks.MEMORY_BYTES).outcome is Outcome.OK
    check = checks.check_memory(checks.MEMORY_BYTES - 1)
    assert check.outcome is Outcome.WARNING
    assert check.remedy


def test_the_disk_must_hold_the_models_that_are_lacking(empty: ModelStore) -> None:
    models = sum(empty.catalog.model(name).bytes for name in empty.catalog.select(["embedded"]))
    assert checks.check_disk(empty, checks.DISK_BYTES + models).outcome is Outcome.OK
    assert checks.check_disk(empty, checks.DISK_BYTES + models - 1).outcome is Outcome.WARNING


def test_the_reason_why_there_is_no_gpu_is_told() -> None:
    findings = OpenVinoFindings("2026.4", ("CPU (Xeon)",), "libOpenCL.so.1: cannot open shared object file")
    _, check = checks.check_openvino(lambda: findings)
    assert check.found == "CPU (Xeon); no GPU (libOpenCL.so.1: cannot open shared object file)"


def test_the_layout_models_that_could_be_had_are_named(empty: ModelStore) -> None:
    check = checks.check_layout(empty)
    assert check.outcome == "note"
    assert "models pull pp-doclayout-plus-l" in check.remedy
    assert "--layout-model pp-doclayout-plus-l" in check.remedy


def test_a_checkpoint_that_is_not_converted_is_no_model_yet(empty: ModelStore) -> None:
    assert "models pull paddleocr-vl-1.6 && arcscribe models convert" in checks.check_vlm(empty).remedy
    manifest = empty.root / "mine-int8" / "arcscribe.json"
    manifest.parent.mkdir(parents=True)
    manifest.write_text("{}")
    assert checks.check_vlm(empty).found == "mine-int8"


def test_what_converting_lacks_comes_before_it(empty: ModelStore, monkeypatch: pytest.MonkeyPatch) -> None:
    assert checks.check_vlm(empty).found == "no PaddleOCR-VL"
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    check = checks.check_vlm(empty)
    assert check.found == "no PaddleOCR-VL; converting needs jinja2 and nncf"
    assert check.remedy == (
        "run in the clone: pip install '.[convert]' && arcscribe models pull paddleocr-vl-1.6"
        " && arcscribe models convert paddleocr-vl-1.6"
    )
