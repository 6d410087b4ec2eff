"""The networks as a reference for themselves: in float32 on the CPU, without paged attention."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from arcscribe.inference.openvino import OpenVinoSettings, compile_network, read_network
from vlm_stage.engines.paddleocr_vl.manifest import DECODER, VISION
from vlm_stage.engines.paddleocr_vl.model_config import VisionConfig
from vlm_stage.engines.paddleocr_vl.networks.vision_encoder import VisionEncoder
from vlm_stage.engines.paddleocr_vl.verification.stateful_inputs import stateful_inputs

_EXACT = {
    "INFERENCE_PRECISION_HINT": "f32",
    "KV_CACHE_PRECISION": "f32",
    # Else a CPU with eight-bit instructions rounds what it multiplies by compressed weights to eight bits.
    "DYNAMIC_QUANTIZATION_GROUP_SIZE": "0",
}


def exact_vision(folder: Path, config: VisionConfig) -> VisionEncoder:
    """The vision encoder of a converted model.

    Raises:
        ModelMissing: the folder holds none.
    """
    network = compile_network(read_network(folder / VISION), OpenVinoSettings(), properties=_EXACT)
    return VisionEncoder(network, config)


class ExactDecoder:
    """The decoder as its file holds it, for one sequence, with a KV cache that is OpenVINO's own state."""

    def __init__(self, folder: Path) -> None:
        """Raises ModelMissing where the folder holds no decoder."""
        network = compile_network(read_network(folder / DECODER), OpenVinoSettings(), properties=_EXACT)
        self._request = network.create_infer_request()
        self._past = 0

    def forget(self) -> None:
        """Begins a new sequence."""
        self._request.reset_state()
        self._past = 0

    def run(
        self, embeds: NDArray[np.float32], positions: NDArray[np.int64], wanted: int
    ) -> NDArray[np.float32]:
        """The next T tokens; gives the logits of the last so many of them, float32 (wanted, vocabulary).

        Args:
            embeds: (T, hidden).
            positions: (3, T), those of `prompt_positions`.
            wanted: from 1 to T.
        """
        inputs = stateful_inputs(embeds, positions, past=self._past, wanted=wanted)
        self._past += len(embeds)
        return np.array(self._request.infer(inputs)["logits"])
