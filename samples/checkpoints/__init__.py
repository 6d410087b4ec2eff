"""Checkpoints of a PaddleOCR-VL with random weights, in the layouts in which real ones are published."""
