"""What both stages need to run a network: OpenVINO set-up, and PP-OCR's text detector.

Importing this package first keeps OpenVINO and onnxruntime from reporting their use over the network; the
engines' packages do so.
"""

import os
import sys

# `import openvino` (2026.4) sends an event by way of the package openvino_telemetry, if that is there.
sys.modules["openvino_telemetry"] = None  # type: ignore[assignment]  # Python then raises ImportError for it

# onnxruntime (1.32) sends events unless this is set before it is imported.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
