"""The stage's engines: the only modules of it that import OpenVINO or onnxruntime."""

import arcscribe.inference  # noqa: F401  # first of all, so that neither reports its use
