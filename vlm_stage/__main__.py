"""`python -m vlm_stage`: the VLM stage's process."""

import sys
from pathlib import Path

from arcscribe.models.store import ModelStore
from arcscribe.rpc.access import Access
from arcscribe.rpc.observation import observed
from arcscribe.rpc.process import ProcessArguments, run_process
from arcscribe.rpc.server import Service, serve
from arcscribe.v1 import vlm_pb2_grpc
from vlm_stage.engines.load import check_engine, load_engine
from vlm_stage.servicer import SERVICE_NAME, RecognizerServicer
from vlm_stage.settings import VlmSettings

CLOSE_SECONDS = 1.0
"""The engine's own grace: the server's has passed by then, and whoever was not answered has been cut off."""


async def run(arguments: ProcessArguments[VlmSettings]) -> None:
    """Serves until told to stop."""
    settings = arguments.settings
    with observed("vlm_stage", settings.metrics, settings.traces):
        await _serve(arguments)


async def _serve(arguments: ProcessArguments[VlmSettings]) -> None:
    settings = arguments.settings
    store = ModelStore(Path(settings.models) if settings.models else None)
    check_engine(settings, store)
    servicer = RecognizerServicer(lambda: load_engine(settings, store.root))
    service = Service(
        SERVICE_NAME,
        lambda server: vlm_pb2_grpc.add_RegionRecognizerServicer_to_server(servicer, server),
        servicer.warm_up,
        lambda: servicer.close(CLOSE_SECONDS),
        servicer.broken,
    )
    await serve(
        service,
        arguments.listen or settings.listen,
        grace_seconds=settings.grace_seconds,
        exit_with_parent=arguments.exit_with_parent,
        access=Access(settings.tls, settings.tokens),
    )


if __name__ == "__main__":
    sys.exit(run_process("vlm_stage", VlmSettings, run))
