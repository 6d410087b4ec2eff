"""The orchestrator's configuration, as its TOML file holds it."""

import msgspec

from orchestrator.pages.limits import PageLimits, Positive
from orchestrator.stages.channel import StageSettings


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
    pages: PageLimits = msgspec.field(default_factory=PageLimits)
