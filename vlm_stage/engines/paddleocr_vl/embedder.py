"""The embeddings of text tokens, looked up on the CPU whatever the device: too little work to send
elsewhere."""

from collections.abc import Sequence

import numpy as np
import openvino as ov
from numpy.typing import NDArray


class Embedder:
    """A compiled table of embeddings."""

    def __init__(self, network: ov.CompiledModel) -> None:
        self._request = network.create_infer_request()

    def embed(self, ids: Sequence[int] | NDArray[np.int64]) -> NDArray[np.float32]:
        """Float32 of shape (len(ids), hidden); the array is overwritten by the next call."""
        self._request.set_input_tensor(ov.Tensor(np.asarray(ids, np.int64)[None]))
        self._request.infer()
        found: NDArray[np.float32] = self._request.get_output_tensor(0).data[0]
        return found
