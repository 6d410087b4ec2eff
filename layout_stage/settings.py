"""The layout stage's configuration, as its TOML file holds it."""

import msgspec

from arcscribe.config import GraceSeconds
from arcscribe.inference.openvino import OpenVinoSettings


class LayoutSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`models` is the model store's folder, empty for the user's own; `text_detection` a catalog name."""

    listen: str = "127.0.0.1:50061"
    models: str = ""
    text_detection: str = "pp-ocrv6-det"
    max_waiting: int = 16
    """Pages that may wait for the one in work; one more is refused with QUEUE_FULL."""
    grace_seconds: GraceSeconds = 30.0
    openvino: OpenVinoSettings = msgspec.field(default_factory=OpenVinoSettings)
