"""Each model's post-processing in PP-StructureV3 and PaddleOCR-VL: `configs/pipelines` of paddlex 3.7.2."""

from collections.abc import Mapping
from dataclasses import replace

from layout_stage.detection.detection_settings import DetectionSettings, MergeMode
from layout_stage.detection.inference_config import Family, LayoutModelConfig

_PLUS_L: Mapping[str, float] = {"paragraph_title": 0.3, "formula": 0.3, "text": 0.4, "seal": 0.45}
_V2: Mapping[str, float] = {
    "display_formula": 0.4,
    "doc_title": 0.4,
    "inline_formula": 0.4,
    "paragraph_title": 0.4,
    "text": 0.4,
    "vertical_text": 0.4,
    "seal": 0.45,
}
_V3 = 0.3
_PLUS_L_OUTER = ("paragraph_title", "image", "formula", "chart")
_ORDERED_OUTER = ("chart", "display_formula", "doc_title", "inline_formula", "paragraph_title")
"""The labels whose boxes stand for those within them; within others both stay."""


def default_settings(config: LayoutModelConfig) -> DetectionSettings:
    """The settings for a model.

    A model that is in neither pipeline has those of paddlex's pipelines for PP-DocLayout-L, and as threshold
    the `draw_threshold` of its `inference.yml`.
    """
    settings = DetectionSettings(config.draw_threshold, nms=True, merge=MergeMode.LARGE)
    if config.family.predicts_order:
        merge = dict.fromkeys(_ORDERED_OUTER, MergeMode.LARGE)
        threshold = _V2 if config.family is Family.V2 else _V3
        return replace(settings, threshold=threshold, merge=merge, whole_pixels=True, drop_overlapping=True)
    if "PP-DocLayout_plus" in config.name:
        return replace(settings, threshold=_PLUS_L, merge=dict.fromkeys(_PLUS_L_OUTER, MergeMode.LARGE))
    if "PP-DocBlockLayout" in config.name:
        return replace(settings, merge=MergeMode.SMALL)
    return settings
