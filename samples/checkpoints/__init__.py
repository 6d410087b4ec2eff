"""Checkpoints of a PaddleOCR-VL in the layouts in which real ones are published.

They have random weights, but for `reader/`, which `samples.toy_reader` trained to read amounts and dates.
"""
