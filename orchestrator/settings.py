"""The orchestrator's configuration, as its TOML file holds it."""

from typing import Annotated

import msgspec

from orchestrator.stages.channel import StageSettings

Positive = Annotated[int, msgspec.Meta(ge=1)]
PositiveAmount = Annotated[float, msgspec.Meta(gt=0)]


class PageSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a document may cost; the meaning of each is told in `orchestrator.pages.limits.PageLimits`."""

    max_document_mib: Positive = 256
    max_pages: Positive = 5000
    max_page_megapixels: PositiveAmount = 16.0
    max_picture_megapixels: PositiveAmount = 90.0
    max_page_seconds: PositiveAmount = 60.0
    max_worker_mib: Positive = 1024


class OrchestratorSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where the stages are, and how much is in work at once."""

    listen: str = "127.0.0.1:50060"
    max_documents: Positive = 8
    """Documents in work; one more is refused with QUEUE_FULL."""
    window: Positive = 3
    """Pages of one document in work at once."""
    page_workers: Positive = 1
    """Processes that decode documents."""
    grace_seconds: float = 60.0
    layout: StageSettings = msgspec.field(default_factory=lambda: StageSettings("127.0.0.1:50061"))
    vlm: StageSettings = msgspec.field(default_factory=lambda: StageSettings("127.0.0.1:50062"))
    pages: PageSettings = msgspec.field(default_factory=PageSettings)
