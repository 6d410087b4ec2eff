"""`python -m layout_stage`: the layout stage's process."""

import sys

from arcscribe.rpc.access import Access
from arcscribe.rpc.observation import observed
from arcscribe.rpc.process import ProcessArguments, run_process
from arcscribe.rpc.server import Service, serve
from arcscribe.types import StageModel
from arcscribe.v1 import layout_pb2_grpc
from layout_stage.engines.load import load_analyzer, model_paths
from layout_stage.servicer import SERVICE_NAME, LayoutServicer
from layout_stage.settings import LayoutSettings


async def run(arguments: ProcessArguments[LayoutSettings]) -> None:
    """Serves until told to stop."""
    settings = arguments.settings
    model = StageModel(settings.engine, settings.model, settings.openvino.device)
    with observed("layout_stage", settings.metrics, settings.traces, model):
        await _serve(arguments)


async def _serve(arguments: ProcessArguments[LayoutSettings]) -> None:
    settings = arguments.settings
    paths = model_paths(settings)
    servicer = LayoutServicer(
        lambda: load_analyzer(settings, paths), settings.max_waiting, settings.batch.pages
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
        access=Access(settings.tls, settings.tokens),
    )


if __name__ == "__main__":
    sys.exit(run_process("layout_stage", LayoutSettings, run))
