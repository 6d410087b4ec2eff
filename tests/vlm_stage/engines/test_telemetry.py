"""The engines report to nobody: documents' owners were promised that nothing leaves their network."""

import os
import subprocess
import sys
from pathlib import Path

LOAD = """
import sys
from pathlib import Path
from vlm_stage.engines.pp_ocr.slanet import TableModel
TableModel(Path(sys.argv[1]))
"""


def test_a_table_model_leaves_no_trace_of_telemetry(model_root: Path, tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "ORT_DISABLE_TELEMETRY"}
    folders = {name: str(tmp_path) for name in ("HOME", "TMPDIR", "XDG_CACHE_HOME")}
    model = model_root / "slanet-plus" / "slanet-plus.onnx"
    subprocess.run([sys.executable, "-c", LOAD, model], env=environment | folders, check=True)
    assert list(tmp_path.iterdir()) == []
