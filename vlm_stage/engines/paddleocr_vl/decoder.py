"""Running the decoder over paged attention: one step of many sequences, and the KV cache that they share."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import openvino as ov
from numpy.typing import NDArray

from arcscribe.errors import InvalidConfig
from arcscribe.inference.openvino import remote_copy
from vlm_stage.engines.paddleocr_vl.flat_batch import FlatBatch
from vlm_stage.engines.paddleocr_vl.rotation import Rotation

MEGABYTE = 1_000_000


@dataclass(frozen=True, slots=True, eq=False)
class DecoderInputs:
    """One step of T tokens: `embeds` float32 (T, hidden), their rotation, and where each belongs.

    `sampled_rows`, int64, are those of the rows with logits whose logits are to be brought to the host.
    """

    embeds: NDArray[np.float32]
    rotation: Rotation
    batch: FlatBatch
    sampled_rows: NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class DecoderOutputs:
    """For the R rows with logits: the likeliest token, int32 (R,), and its probability, float32 (R,).

    `logits`, float32 (K, vocabulary), are those of the sampled rows; valid until the next step.
    """

    tokens: NDArray[np.int32]
    probabilities: NDArray[np.float32]
    logits: NDArray[np.float32]


class PagedDecoder:
    """A compiled decoder with as many KV blocks as fit into the memory that it is given."""

    def __init__(self, network: ov.CompiledModel, kv_memory_mb: int) -> None:
        """Raises InvalidConfig where the memory holds no block."""
        self._request = network.create_infer_request()
        caches = {port.get_any_name(): port for port in network.inputs if "_cache." in port.get_any_name()}
        block_bytes = sum(map(_block_bytes, caches.values()))
        self.block_count = kv_memory_mb * MEGABYTE // block_bytes
        if not self.block_count:
            raise InvalidConfig(f"kv_memory_mb = {kv_memory_mb} holds no block of {block_bytes} bytes")
        # The second axis from the end of a value block: GPUs lay keys out the other way round, and eight-bit
        # keys have rows for their scales.
        self.block_size = caches["value_cache.0"].get_partial_shape()[2].get_length()
        self.block_bytes = block_bytes
        for name, port in caches.items():
            self._request.set_tensor(name, _cache(network, port, self.block_count))

    def run(self, inputs: DecoderInputs) -> DecoderOutputs:
        """One inference.

        Raises:
            RuntimeError: the device failed; what it wrote to the blocks of this step is not to be relied on.
        """
        batch = inputs.batch
        tensors = {
            "inputs_embeds": inputs.embeds,
            "cos": inputs.rotation[0],
            "sin": inputs.rotation[1],
            "logits_idx": batch.logits_rows,
            "max_context_len": np.array(batch.max_context_len, np.int32),
            "past_lens": batch.past_lens,
            "subsequence_begins": batch.subsequence_begins,
            "block_indices": batch.block_indices,
            "block_indices_begins": batch.block_indices_begins,
            "sampled_rows": inputs.sampled_rows,
        }
        for name, array in tensors.items():
            self._request.set_tensor(name, ov.Tensor(array))
        self._request.infer()
        tokens = self._request.get_tensor("token").data[:, 0]
        probabilities = self._request.get_tensor("probability").data[:, 0]
        return DecoderOutputs(tokens, probabilities, self._request.get_tensor("logits").data)


def _block_bytes(port: Any) -> int:
    sizes = [size.get_length() for size in port.get_partial_shape() if size.is_static]
    return int(math.prod(sizes) * port.get_element_type().size)


def _cache(network: ov.CompiledModel, port: Any, blocks: int) -> ov.Tensor:
    """A cache of so many blocks, where the network wants it: in a GPU's own memory, or in the machine's."""
    sizes = [size.get_length() if size.is_static else blocks for size in port.get_partial_shape()]
    tensor = ov.Tensor(port.get_element_type(), sizes)
    tensor.data.fill(0)  # attention multiplies what no token has written by 0, which must be a number
    devices = network.get_property("EXECUTION_DEVICES")
    if any(device.startswith("GPU") for device in devices):
        return remote_copy(tensor, devices[0])
    return tensor
