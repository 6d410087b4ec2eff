"""The layout stage's configuration, as its TOML file holds it."""

from typing import Annotated, Literal

import msgspec

from arcscribe.config import GraceSeconds
from arcscribe.inference.openvino import OpenVinoSettings
from arcscribe.rpc.metrics import MetricsSettings
from arcscribe.rpc.server_tls import ServerTls
from arcscribe.rpc.tokens import CallToken
from arcscribe.rpc.trace_export import TracesSettings
from layout_stage.detection.detection_options import DetectionOptions
from layout_stage.engines.batch_settings import BatchSettings
from layout_stage.engines.onnxruntime_settings import OnnxruntimeSettings
from layout_stage.engines.paddlex_settings import PaddlexSettings

CDLA = "layout-cdla"
"""The embedded layout model, and the only one that is no model of PP-StructureV3."""


class LayoutSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`models` is the model store's folder, empty for the user's own; `text_detection` a catalog name.

    `model` and `block_model` are each a catalog name, or a folder with a network and its `inference.yml`;
    `unwarping_model` is one with a network.
    """

    listen: str = "127.0.0.1:50061"
    models: str = ""
    engine: Literal["openvino", "onnxruntime", "paddlex"] = "openvino"
    """What runs `model` and `block_model`; all else runs on OpenVINO. paddlex orders what it finds, too."""
    model: Annotated[str, msgspec.Meta(min_length=1)] = CDLA
    block_model: str = ""
    """PP-DocBlockLayout, which tells what is read as a whole, for layout models that predict no order."""
    detection: DetectionOptions = msgspec.field(default_factory=DetectionOptions)
    """Changes to the layout model's post-processing; layout-cdla takes none."""
    unwarping_model: str = ""
    """UVDoc, with which photographed pages are made flat; empty: pages are taken as they are."""
    text_detection: str = "pp-ocrv6-det"
    max_waiting: Annotated[int, msgspec.Meta(ge=0)] = 16
    """Pages that may wait for those in work; one more is refused with QUEUE_FULL."""
    grace_seconds: GraceSeconds = 30.0
    openvino: OpenVinoSettings = msgspec.field(default_factory=OpenVinoSettings)
    onnxruntime: OnnxruntimeSettings = msgspec.field(default_factory=OnnxruntimeSettings)
    batch: BatchSettings = msgspec.field(default_factory=BatchSettings)
    paddlex: PaddlexSettings = msgspec.field(default_factory=PaddlexSettings)
    tls: ServerTls | None = None
    tokens: tuple[CallToken, ...] = ()
    """Who may call; everybody, if there are none."""
    metrics: MetricsSettings = MetricsSettings()
    traces: TracesSettings = TracesSettings()
