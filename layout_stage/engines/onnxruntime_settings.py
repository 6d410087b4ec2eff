"""What a configuration may say about onnxruntime."""

from typing import Annotated, Literal

import msgspec


class OnnxruntimeSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How onnxruntime runs networks. `threads` 0 leaves their number to it; they count on a CPU only."""

    provider: Literal["OpenVINOExecutionProvider", "CPUExecutionProvider"] = "CPUExecutionProvider"
    device_type: Annotated[str, msgspec.Meta(pattern=r"^(CPU|NPU|GPU(\.\d+)?)$")] = "CPU"
    """What the OpenVINO provider runs on, as OpenVINO calls it; without effect on the other."""
    threads: Annotated[int, msgspec.Meta(ge=0, le=1024)] = 0

    @property
    def device(self) -> str:
        """What networks run on."""
        return self.device_type if self.provider == "OpenVINOExecutionProvider" else "CPU"
