"""What each kind of device wants, in one place; the rest is read from the compiled networks."""

from collections.abc import Mapping
from dataclasses import dataclass

from arcscribe.inference.openvino import OpenVinoSettings

KEPT_KERNELS = 512
"""Kernels that each network keeps on a CPU, those used last; each is for one shape.

OpenVINO's own number is 5,000, which crops and steps of ever new shapes fill up in the end: a stage with the
toy of `samples.checkpoints` held 1,250 MB after 5,000 crops of all sizes (`bench.vlm_soak`), and 56 MB more
with each thousand; so it stays at 690 MB. A crop costs 5 ms of CPU time more, to make kernels again.
"""


@dataclass(frozen=True, slots=True)
class DevicePlan:
    """How the networks run on one device.

    `overlaps`: the vision encoder runs beside the decoder. A CPU's two would only share the same cores, so
    there they take turns. `buckets` are lengths, in patches, to which the encoder's rows are padded, so that
    a GPU compiles few shapes; `row_patches` is how many patches of several crops one row takes at most.
    """

    openvino: OpenVinoSettings
    inference_precision: str
    vision_precision: str
    kv_precision: str
    overlaps: bool
    buckets: tuple[int, ...]
    row_patches: int

    def decoder_properties(self) -> Mapping[str, str]:
        """OpenVINO's properties for the decoder."""
        return {
            "INFERENCE_PRECISION_HINT": self.inference_precision,
            "KV_CACHE_PRECISION": self.kv_precision,
            **self._key_scales(),
            **self._limits(),
        }

    def _key_scales(self) -> Mapping[str, str]:
        """One scale for each key of eight bits.

        A CPU would share scales among the keys of a block, also with those of drafts that were not accepted.
        """
        shared = self._on_cpu and self.kv_precision == "u8"
        return {"KEY_CACHE_QUANT_MODE": "BY_TOKEN"} if shared else {}

    def vision_properties(self) -> Mapping[str, str]:
        """OpenVINO's properties for the vision encoder."""
        return {"INFERENCE_PRECISION_HINT": self.vision_precision, **self._limits()}

    @property
    def _on_cpu(self) -> bool:
        return self.openvino.device == "CPU"

    def _limits(self) -> Mapping[str, str]:
        return {"CPU_RUNTIME_CACHE_CAPACITY": str(KEPT_KERNELS)} if self._on_cpu else {}


def plan_device(
    openvino: OpenVinoSettings,
    *,
    inference_precision: str = "",
    vision_precision: str = "",
    kv_precision: str = "",
    patch_buckets: tuple[int, ...] = (),
) -> DevicePlan:
    """The plan of a device; what is left empty is chosen for it.

    On a CPU all is float32, so that it says what the reference says, and one crop is encoded at a time, since
    more at once gains nothing there (measured on CPU). On a GPU all is float16, the precision its units are
    made for; OpenVINO's own choice for its KV cache is eight bits, whose cost in accuracy nobody has measured
    on this model. A CPU that computes in fewer bits takes no KV cache in float32 (OpenVINO 2026.4), so its
    cache follows what it computes in.
    """
    on_gpu = openvino.device.startswith("GPU")
    own = "f16" if on_gpu else "f32"
    return DevicePlan(
        openvino,
        inference_precision or own,
        vision_precision or inference_precision or own,
        kv_precision or (own if on_gpu else inference_precision or own),
        overlaps=on_gpu,
        buckets=patch_buckets if on_gpu else (),
        row_patches=max(patch_buckets, default=1) if on_gpu else 1,
    )
