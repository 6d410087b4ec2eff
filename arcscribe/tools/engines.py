"""The engines whose models ship inside packages, and what the processes are told to run them."""

from dataclasses import replace
from enum import StrEnum

from arcscribe.tools.local_service import LocalSettings


class EmbeddedEngine(StrEnum):
    """The VLM stage's engines whose models ship inside packages."""

    PP_OCRV6 = "pp-ocrv6"
    PP_OCRV6_TINY = "pp-ocrv6-tiny"
    PP_OCRV5 = "pp-ocrv5"


DEFAULT_ENGINE = EmbeddedEngine.PP_OCRV6


def local_settings(engine: EmbeddedEngine, base: LocalSettings | None = None) -> LocalSettings:
    """Settings under which both stages use an engine's models: its recogniser, and its text detector."""
    base = base or LocalSettings()
    return replace(
        base,
        layout={"text_detection": f"{engine}-det", **base.layout},
        vlm={"engine": str(engine), **base.vlm},
    )
