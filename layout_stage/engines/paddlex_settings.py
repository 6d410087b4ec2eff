"""What a configuration may say about the official engine."""

from typing import Annotated, Literal

import msgspec


class PaddlexSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How paddlex runs its networks, always on the CPU. `threads` 0 leaves their number to it."""

    engine: Literal["onnxruntime", "paddle"] = "onnxruntime"
    """`onnxruntime` takes `inference.onnx`; `paddle` the files that Paddle itself exports."""
    threads: Annotated[int, msgspec.Meta(ge=0)] = 0
