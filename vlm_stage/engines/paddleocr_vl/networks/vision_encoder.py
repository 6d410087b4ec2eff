"""Running the vision encoder: crops in, image tokens out."""

from collections.abc import Sequence

import numpy as np
import openvino as ov
from numpy.typing import NDArray

from vlm_stage.engines.paddleocr_vl.inputs.images import Patches
from vlm_stage.engines.paddleocr_vl.model_config import VisionConfig
from vlm_stage.engines.paddleocr_vl.networks.packing import pack, unpack


class VisionEncoder:
    """A compiled encoder, which runs one row of crops at a time, in the background."""

    def __init__(self, network: ov.CompiledModel, config: VisionConfig, buckets: Sequence[int] = ()) -> None:
        self._request = network.create_infer_request()
        self._config, self._buckets = config, tuple(buckets)
        self._sizes: tuple[int, ...] = ()

    def warm_up(self) -> None:
        """Encodes an empty row of every length that rows are padded to."""
        for bucket in self._buckets:
            self.start([_blank(bucket, self._config)])
            self.collect()

    @property
    def is_done(self) -> bool:
        """Whether `collect` would not wait."""
        return bool(self._request.wait_for(0))

    def start(self, crops: Sequence[Patches]) -> None:
        """Begins to encode these crops in one row."""
        assert not self._sizes, "the last row was not collected"
        packed = pack(crops, self._config, self._buckets)
        self._request.start_async({name: ov.Tensor(array) for name, array in packed.arrays.items()})
        self._sizes = packed.sizes

    def collect(self) -> list[NDArray[np.float32]]:
        """Each crop's image tokens, float32 of shape (n, hidden), once they are there.

        Raises:
            RuntimeError: the device failed.
        """
        sizes, self._sizes = self._sizes, ()
        self._request.wait()
        tokens = self._request.get_output_tensor(0).data[0]
        return unpack(tokens, sizes, self._config.spatial_merge_size)


def _blank(patches: int, config: VisionConfig) -> Patches:
    """A strip of empty patches, two high."""
    return Patches(np.zeros((patches, config.patch_values), np.float32), 2, patches // 2)
