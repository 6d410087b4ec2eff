"""The embeddings of text tokens, looked up on the host whatever the device: rows of a table are too little
work to send elsewhere, or to wake an inference's threads for."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import openvino as ov
from numpy.typing import NDArray

from arcscribe.errors import ModelMissing
from vlm_stage.engines.paddleocr_vl.inputs.prompts import Prompt


class Embedder:
    """A table of embeddings, which stays in the file that it was read from until rows of it are wanted."""

    def __init__(self, network: ov.Model) -> None:
        """Takes what `build_embeddings` made, as it is or with weights in INT8, one scale for each row.

        Raises:
            ModelMissing: it is something else.
        """
        constants = [node for node in network.get_ops() if node.get_type_name() == "Constant"]
        tables = [node for node in constants if len(node.get_output_shape(0)) == 2]
        scales = [node.data for node in tables if node.get_output_shape(0)[1] == 1]
        tables = [node for node in tables if node.get_output_shape(0)[1] > 1]
        if len(tables) != 1 or len(scales) > 1:
            raise ModelMissing(
                "the network of embeddings is not one table", command="arcscribe models convert"
            )
        self._table: NDArray[Any] = tables[0].data
        self._scales: NDArray[Any] | None = scales[0] if scales else None

    def embed(self, ids: Sequence[int] | NDArray[np.int64]) -> NDArray[np.float32]:
        """Float32 of shape (len(ids), hidden)."""
        found: NDArray[np.float32] = self._table[np.asarray(ids)].astype(np.float32)
        if self._scales is not None:
            found *= self._scales[np.asarray(ids)]
        return found


def prompt_embeds(
    embedder: Embedder, prompt: Prompt, image_tokens: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Float32 (T, hidden): a prompt of T tokens, with image tokens (n, hidden) in their place."""
    embeds = np.array(embedder.embed(prompt.ids))
    embeds[prompt.image_start : prompt.image_start + prompt.image_tokens] = image_tokens
    return embeds
