"""The orchestrator's configuration, as its TOML file holds it."""

from typing import Literal

import msgspec

from arcscribe.config import GraceSeconds
from arcscribe.rpc.metrics import MetricsSettings
from arcscribe.rpc.server_tls import ServerTls
from arcscribe.rpc.tokens import DocumentToken
from arcscribe.rpc.trace_export import TracesSettings
from orchestrator.pages.limits import PageLimits, Positive
from orchestrator.stages.draft import DraftSettings
from orchestrator.stages.stage_settings import StageSettings


class OrchestratorSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where the stages are, and how much is in work at once."""

    listen: str = "127.0.0.1:50060"
    max_documents: Positive = 8
    """Documents in work; one more is refused with QUEUE_FULL."""
    max_pages_in_work: Positive = 16
    """Pages of all documents in work; one that would have none has one all the same. Documents take turns."""
    max_held_mib: Positive = 1024
    """Bytes of all documents, those that arrive included; what goes beyond is refused with QUEUE_FULL."""
    window: Positive = 3
    """Pages of one document in work at once."""
    page_workers: Positive = 1
    """Processes that decode documents."""
    grace_seconds: GraceSeconds = 60.0
    draft: Literal["none", "pp-ocr"] = "none"
    """What goes with crops of text to the VLM stage: nothing, or what the draft stage, a PP-OCR, reads."""
    layout: StageSettings = msgspec.field(default_factory=lambda: StageSettings("127.0.0.1:50061"))
    vlm: StageSettings = msgspec.field(default_factory=lambda: StageSettings("127.0.0.1:50062"))
    draft_vlm: DraftSettings = msgspec.field(default_factory=DraftSettings)
    pages: PageLimits = msgspec.field(default_factory=PageLimits)
    tls: ServerTls | None = None
    tokens: tuple[DocumentToken, ...] = ()
    """Who may call; everybody, if there are none."""
    metrics: MetricsSettings = MetricsSettings()
    traces: TracesSettings = TracesSettings()

    def __post_init__(self) -> None:
        if self.max_held_mib < self.pages.max_document_mib:
            raise ValueError(
                f"max_held_mib is {self.max_held_mib}; it must not be less than pages.max_document_mib, "
                f"which is {self.pages.max_document_mib}"
            )
