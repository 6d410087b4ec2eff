"""PP-OCR's recognisers and SLANet, as an engine of the VLM stage."""

import os

# onnxruntime (1.32) reports its use over the network unless this is set before it is imported.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
