"""From a published PaddleOCR-VL checkpoint to a folder that the engine `paddleocr-vl` serves.

A process of its own, `python -m vlm_stage.convert`; `arcscribe models convert` starts it.
"""
