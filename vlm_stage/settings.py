"""The VLM stage's configuration, as its TOML file holds it."""

import msgspec

from arcscribe.config import GraceSeconds
from arcscribe.inference.openvino import OpenVinoSettings
from arcscribe.rpc.metrics import MetricsSettings
from arcscribe.rpc.server_tls import ServerTls
from arcscribe.rpc.tokens import CallToken
from arcscribe.rpc.trace_export import TracesSettings
from vlm_stage.engines.paddleocr_vl.settings import PaddleOcrVlSettings


class VlmSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`engine` is one of `vlm_stage.engines`; `models` the model store's folder, empty for the user's own.

    `openvino` counts for the PP-OCR engines, `paddleocr_vl` for that of its name.
    """

    listen: str = "127.0.0.1:50062"
    models: str = ""
    engine: str = "pp-ocrv6"
    grace_seconds: GraceSeconds = 30.0
    openvino: OpenVinoSettings = msgspec.field(default_factory=OpenVinoSettings)
    paddleocr_vl: PaddleOcrVlSettings = msgspec.field(default_factory=PaddleOcrVlSettings)
    tls: ServerTls | None = None
    tokens: tuple[CallToken, ...] = ()
    """Who may call; everybody, if there are none."""
    metrics: MetricsSettings = MetricsSettings()
    traces: TracesSettings = TracesSettings()
