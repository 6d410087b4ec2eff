"""From settings to a loaded layout model: one function for each engine."""

from collections.abc import Callable, Mapping
from pathlib import Path

from arcscribe.errors import InvalidConfig
from arcscribe.inference.openvino import compile_model
from arcscribe.types import StageModel
from layout_stage.composing.cdla import CdlaComposer
from layout_stage.composing.composer import Composer
from layout_stage.composing.detected import DetectedComposer
from layout_stage.detection.detection_options import DetectionOptions
from layout_stage.engines.cdla_network import CdlaNetwork
from layout_stage.engines.detection_network import DetectionNetwork
from layout_stage.engines.network import LoadNetwork
from layout_stage.engines.openvino_network import OpenVinoNetwork, load_openvino_network
from layout_stage.engines.paddlex_load import load_paddlex
from layout_stage.settings import CDLA, LayoutSettings

LoadModel = Callable[[LayoutSettings, Path, Path | None], tuple[StageModel, Composer]]
"""Takes settings, the layout model's file or folder, and that of the model for blocks, if there is one."""


def load_layout_model(
    settings: LayoutSettings, layout: Path, blocks: Path | None
) -> tuple[StageModel, Composer]:
    """What composes pages with the layout model, and what it is called.

    Raises:
        ModelMissing: a model's file is not there, or is not one.
        DeviceMissing: the engine does not see the device.
        InvalidConfig: the settings do not fit the layout model or the engine.
    """
    return _ENGINES[settings.engine](settings, layout, blocks)


def _openvino(settings: LayoutSettings, layout: Path, blocks: Path | None) -> tuple[StageModel, Composer]:
    openvino = settings.openvino
    name, composer = _composer(
        settings,
        layout,
        blocks,
        lambda path: load_openvino_network(path, openvino),
        # It is weighed against other evidence, and computes in what the device thinks right.
        load_cdla=lambda path: OpenVinoNetwork(compile_model(path, openvino)),
    )
    return StageModel("openvino", name, settings.openvino.device), composer


def _onnxruntime(settings: LayoutSettings, layout: Path, blocks: Path | None) -> tuple[StageModel, Composer]:
    from layout_stage.engines.onnxruntime_network import (  # noqa: PLC0415  # OpenVINO does without it
        load_onnxruntime_network,
    )

    name, composer = _composer(
        settings, layout, blocks, lambda path: load_onnxruntime_network(path, settings.onnxruntime)
    )
    return StageModel("onnxruntime", name, settings.onnxruntime.device), composer


_ENGINES: Mapping[str, LoadModel] = {
    "openvino": _openvino,
    "onnxruntime": _onnxruntime,
    "paddlex": load_paddlex,
}


def _composer(
    settings: LayoutSettings,
    layout: Path,
    blocks: Path | None,
    load: LoadNetwork,
    load_cdla: LoadNetwork | None = None,
) -> tuple[str, Composer]:
    """The layout model's name, and what composes pages with it; layout_cdla may be loaded in its own way."""
    if layout.is_file():
        _refuse_what_it_has_not(settings)
        return layout.stem, CdlaComposer(CdlaNetwork((load_cdla or load)(layout)).detect)
    network = DetectionNetwork(layout, load, settings.detection, settings.batch)
    areas = DetectionNetwork(blocks, load, DetectionOptions(), settings.batch) if blocks else None
    return network.name, DetectedComposer(network, areas)


def _refuse_what_it_has_not(settings: LayoutSettings) -> None:
    """Raises InvalidConfig where settings are for models of PP-StructureV3, and this one is none."""
    if settings.detection != DetectionOptions():
        raise InvalidConfig(f"[detection] is for layout models of PP-StructureV3; {CDLA} takes none of it")
    if settings.block_model:
        raise InvalidConfig(f"block_model is for layout models of PP-StructureV3; {CDLA} takes none")
