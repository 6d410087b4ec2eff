"""PaddleOCR-VL's three networks, built node by node from a checkpoint's weights; no tracing, no torch."""
