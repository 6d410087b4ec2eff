"""`python -m orchestrator`: the orchestrator's process."""

import sys

from arcscribe.rpc.access import Access
from arcscribe.rpc.observation import observed
from arcscribe.rpc.process import ProcessArguments, run_process
from arcscribe.rpc.server import Service, serve
from arcscribe.turns import Turns
from arcscribe.v1 import parse_pb2_grpc
from orchestrator.admission import Admission
from orchestrator.pages.limits import MIB
from orchestrator.pages.source import PageSource
from orchestrator.pipeline import Pipeline
from orchestrator.servicer import SERVICE_NAME, ParserServicer
from orchestrator.settings import OrchestratorSettings
from orchestrator.stages.draft import DraftStage
from orchestrator.stages.layout import LayoutStage
from orchestrator.stages.vlm import VlmStage


async def run(arguments: ProcessArguments[OrchestratorSettings]) -> None:
    """Serves until told to stop."""
    settings = arguments.settings
    with observed("orchestrator", settings.metrics, settings.traces):
        await _serve(arguments)


async def _serve(arguments: ProcessArguments[OrchestratorSettings]) -> None:
    settings = arguments.settings
    layout, vlm = LayoutStage(settings.layout), VlmStage(settings.vlm)
    drafts = DraftStage(settings.draft_vlm) if settings.draft == "pp-ocr" else None
    async with PageSource(settings.pages, settings.page_workers) as source:
        places = Turns(settings.max_pages_in_work, one_each=True)
        pipeline = Pipeline(source, layout, vlm, settings.window, drafts, places)
        servicer = ParserServicer(pipeline, Admission(settings.max_documents, settings.max_held_mib * MIB))

        async def close() -> None:
            await layout.close()
            await vlm.close()
            if drafts:
                await drafts.close()

        service = Service(
            SERVICE_NAME,
            lambda server: parse_pb2_grpc.add_DocumentParserServicer_to_server(servicer, server),
            _nothing_to_load,
            close,
        )
        await serve(
            service,
            arguments.listen or settings.listen,
            grace_seconds=settings.grace_seconds,
            exit_with_parent=arguments.exit_with_parent,
            access=Access(settings.tls, settings.tokens),
        )


async def _nothing_to_load() -> None:
    return


if __name__ == "__main__":
    sys.exit(run_process("orchestrator", OrchestratorSettings, run))
