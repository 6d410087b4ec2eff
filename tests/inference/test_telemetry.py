"""OpenVINO and onnxruntime report to nobody: nothing is to leave the network of a document's owner."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ENGINES = (
    "arcscribe.inference.openvino",
    "arcscribe.inference.text_detector",
    "arcscribe.tools.doctor",
    "layout_stage.engines.openvino",
    "vlm_stage.engines.load",
    "vlm_stage.engines.pp_ocr.line_recognizer",
    "vlm_stage.engines.pp_ocr.slanet",
)
CHECK = """
import importlib, sys
importlib.import_module(sys.argv[1])
assert not [name for name in sys.modules if name.startswith("openvino_telemetry.")]
"""
LOAD = """
import sys
from pathlib import Path
from vlm_stage.engines.pp_ocr.slanet import TableModel
TableModel(Path(sys.argv[1]))
"""


def run(code: str, argument: object, folder: Path) -> None:
    """Runs code with empty folders for all that it may write, and no word that switches telemetry off."""
    kept = {name: value for name, value in os.environ.items() if name not in {"CI", "ORT_DISABLE_TELEMETRY"}}
    folders = {name: str(folder) for name in ("HOME", "TMPDIR", "XDG_CACHE_HOME")}
    subprocess.run([sys.executable, "-c", code, str(argument)], env=kept | folders, check=True)


@pytest.mark.parametrize("engine", ENGINES)
def test_no_engine_imports_openvino_with_its_telemetry(engine: str, tmp_path: Path) -> None:
    run(CHECK, engine, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_table_model_leaves_no_trace_of_telemetry(model_root: Path, tmp_path: Path) -> None:
    run(LOAD, model_root / "slanet-plus" / "slanet-plus.onnx", tmp_path)
    assert list(tmp_path.iterdir()) == []
