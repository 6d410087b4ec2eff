"""Running the decoder over paged attention: one step of many sequences, and the KV cache that they share."""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import openvino as ov
from numpy.typing import NDArray

from arcscribe.errors import InvalidConfig
from arcscribe.inference.openvino import remote_copy
from arcscribe.memory import available_memory
from vlm_stage.engines.paddleocr_vl.inputs.rotation import Rotation
from vlm_stage.engines.paddleocr_vl.networks.flat_batch import FlatBatch

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
        """Raises InvalidConfig where the memory holds no two blocks, or cannot be had."""
        self._request = network.create_infer_request()
        self._is_on_cpu = network.get_property("EXECUTION_DEVICES") == ["CPU"]
        caches = {port.get_any_name(): port for port in network.inputs if "_cache." in port.get_any_name()}
        if self._is_on_cpu:
            _check_available(kv_memory_mb)
        block_bytes = sum(map(_block_bytes, caches.values()))
        self.block_count = kv_memory_mb * MEGABYTE // block_bytes - 1  # one more is of no sequence
        if self.block_count < 1:
            raise InvalidConfig(
                f"kv_memory_mb = {kv_memory_mb} does not hold two blocks of {block_bytes} bytes"
            )
        # The second axis from the end of a value block: GPUs lay keys out the other way round, and eight-bit
        # keys have rows for their scales.
        self.block_size = caches["value_cache.0"].get_partial_shape()[2].get_length()
        try:
            for name, port in caches.items():
                self._request.set_tensor(name, _cache(network, port, self.block_count + 1))
        except (RuntimeError, TypeError) as error:  # a device has no such memory, or no number for it
            raise InvalidConfig(f"kv_memory_mb = {kv_memory_mb} is more than there is") from error

    def run(self, inputs: DecoderInputs) -> DecoderOutputs:
        """One inference.

        Raises:
            RuntimeError: the device failed; what it wrote to the blocks of this step is not to be relied on.
        """
        rows = len(inputs.batch.logits_rows)
        if self._is_on_cpu:
            inputs = _with_two_rows(inputs, self.block_count)
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
        tokens = self._request.get_tensor("token").data[:rows, 0]
        probabilities = self._request.get_tensor("probability").data[:rows, 0]
        return DecoderOutputs(tokens, probabilities, self._request.get_tensor("logits").data)


def _check_available(kv_memory_mb: int) -> None:
    """Raises InvalidConfig where a CPU's KV cache is larger than the memory that is free.

    Linux would give it all the same, and end a process, this one or another, when the cache is filled.
    """
    available = available_memory() // MEGABYTE
    if kv_memory_mb > available:
        raise InvalidConfig(
            f"kv_memory_mb = {kv_memory_mb} is more than there is: {available} MB of memory are free"
        )


def _with_two_rows(inputs: DecoderInputs, spare_block: int) -> DecoderInputs:
    """The inputs with at least two tokens and two rows with logits; what is added is written to a block that
    no sequence has.

    A CPU multiplies a single row by another kernel, which sums up in another order. The last bit is all that
    differs at first; but with INT8 weights, a CPU that has instructions for INT8 (VNNI, AMX) rounds
    activations to INT8 in every layer, and logits then differ by a tenth. So a sequence alone would not say
    what it says in a batch, or with a draft to be verified. Of two rows and more each gives the same bits,
    however many there are, and two cost no more than one (OpenVINO 2026.4: 26 ms, INT8, one core with
    AVX-512 VNNI).
    """
    batch = inputs.batch
    if len(batch.logits_rows) == 1:
        batch = replace(batch, logits_rows=np.repeat(batch.logits_rows, 2))
    if len(inputs.embeds) > 1:
        return replace(inputs, batch=batch)
    blocks = len(batch.block_indices)
    alone = replace(
        batch,
        past_lens=_int32s(*batch.past_lens, 0),
        subsequence_begins=_int32s(0, 1, 2),
        block_indices=_int32s(*batch.block_indices, spare_block),
        block_indices_begins=_int32s(0, blocks, blocks + 1),
    )
    cos, sin = (np.repeat(part, 2, axis=0) for part in inputs.rotation)
    return replace(inputs, embeds=np.repeat(inputs.embeds, 2, axis=0), rotation=(cos, sin), batch=alone)


def _int32s(*numbers: int) -> NDArray[np.int32]:
    return np.array(numbers, np.int32)


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
