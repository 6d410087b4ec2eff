"""PaddleOCR-VL through OpenVINO, with continuous batching, as an engine of the VLM stage."""
