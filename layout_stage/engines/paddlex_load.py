"""From settings to the official engine's part of a page analyser."""

from pathlib import Path

from arcscribe.errors import InvalidConfig
from arcscribe.types import StageModel
from layout_stage.composing.detected import DetectedComposer
from layout_stage.detection.detection_options import DetectionOptions
from layout_stage.engines.paddlex_detector import PaddlexDetector, PaddlexModel
from layout_stage.engines.paddlex_order import paddlex_order
from layout_stage.settings import CDLA, LayoutSettings


def load_paddlex(
    settings: LayoutSettings, layout: Path, blocks: Path | None
) -> tuple[StageModel, DetectedComposer]:
    """What composes pages with paddlex's regions in paddlex's order, and the name of its model.

    Args:
        settings: the stage's.
        layout: the layout model's folder, or the name of one of paddlex's official models.
        blocks: the same of the model for blocks, where there is one.

    Raises:
        ModelMissing: paddlex cannot have a model.
        InvalidConfig: there is no paddlex, or the settings do not fit the layout model.
    """
    if settings.model == CDLA:
        raise InvalidConfig(
            f'engine = "paddlex" runs models of PP-StructureV3, not {CDLA}: name one as `model`'
        )
    detector = PaddlexDetector(PaddlexModel.of(layout), settings.paddlex, settings.detection)
    areas = PaddlexDetector(PaddlexModel.of(blocks), settings.paddlex, DetectionOptions()) if blocks else None
    return StageModel("paddlex", detector.name, "CPU"), DetectedComposer(detector, areas, paddlex_order)
