"""Two peers without batching, on the decoder as it was converted: with its KV cache, and without."""

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import openvino as ov
from numpy.typing import NDArray

from arcscribe.inference.openvino import compile_network, read_network
from arcscribe.types import Crop
from bench.vlm_peers.crops import image_tokens
from bench.vlm_peers.model import BenchModel
from vlm_stage.engines.paddleocr_vl.inputs.prompts import Task
from vlm_stage.engines.paddleocr_vl.manifest import DECODER
from vlm_stage.engines.paddleocr_vl.networks.embedder import prompt_embeds
from vlm_stage.engines.paddleocr_vl.networks.load_networks import load_embedder, plan_for
from vlm_stage.engines.paddleocr_vl.settings import PaddleOcrVlSettings
from vlm_stage.engines.paddleocr_vl.verification.stateful_inputs import stateful_inputs

Positions = NDArray[np.int64]


class Loops:
    """Each crop has a request, and so a KV cache, of its own; they are written one after another."""

    def __init__(self, model: BenchModel, crops: Sequence[Crop], threads: int) -> None:
        plan = plan_for(PaddleOcrVlSettings(threads=threads), "CPU")
        network = compile_network(
            read_network(model.converted / DECODER), plan.openvino, properties=plan.decoder_properties()
        )
        self._embedder = load_embedder(model.converted)
        width = model.config.text.hidden_size
        self._prompts = []
        for crop in crops:
            prepared = model.preparer.prepare(crop, Task.OCR)
            image = image_tokens(prepared.patches, width)
            embeds = prompt_embeds(self._embedder, prepared.prompt, image)
            self._prompts.append((embeds, prepared.positions, prepared.delta))
        self._requests = [network.create_infer_request() for _ in crops]
        self._uncached = network.create_infer_request()
        self.outputs: list[list[int]] = [[] for _ in crops]

    def prefill(self) -> None:
        """Runs each prompt, and takes the token that follows it."""
        for (embeds, positions, _), request, output in zip(
            self._prompts, self._requests, self.outputs, strict=True
        ):
            output.append(_next_token(request, embeds, positions, 0))

    def decode(self, tokens: int) -> float:
        """The seconds that it takes to write so many more tokens of each crop, crop by crop."""
        started = time.perf_counter()
        for (embeds, _, delta), request, output in zip(
            self._prompts, self._requests, self.outputs, strict=True
        ):
            for _ in range(tokens):
                past = len(embeds) + len(output) - 1
                positions = np.full((3, 1), past + delta)
                output.append(_next_token(request, self._embedder.embed(output[-1:]), positions, past))
        return time.perf_counter() - started

    def decode_uncached(self, crops: Sequence[int]) -> float:
        """The seconds that it takes to find the next token of some crops, from the first token on."""
        started = time.perf_counter()
        for number in crops:
            embeds, positions, delta = self._prompts[number]
            output = self.outputs[number]
            behind = np.arange(len(embeds), len(embeds) + len(output)) + delta
            whole = np.concatenate([embeds, self._embedder.embed(output)])
            places = np.concatenate([positions, np.broadcast_to(behind, (3, len(behind)))], axis=1)
            self._uncached.reset_state()
            _next_token(self._uncached, whole, places, 0)
        return time.perf_counter() - started


def _next_token(request: Any, embeds: NDArray[np.float32], positions: Positions, past: int) -> int:
    for name, array in stateful_inputs(embeds, positions, past=past, wanted=1).items():
        request.set_tensor(name, ov.Tensor(np.ascontiguousarray(array)))
    request.infer()
    return int(request.get_tensor("logits").data[0].argmax())
