"""Starts the peers, and gives each its turn."""

from collections.abc import Collection, Sequence
from contextlib import ExitStack

from arcscribe.types import Crop
from bench.vlm_peers.batch import Turn
from bench.vlm_peers.loops import Loops
from bench.vlm_peers.model import BenchModel
from bench.vlm_peers.process import Peer

NEEDS = {
    "sequential": (),
    "no-cache": (),
    "transformers": ("torch", "transformers"),
    "genai": ("openvino_genai", "openvino_tokenizers", "transformers"),
}
"""The peers, and the modules that each needs beyond the project's own."""
LOOP_TOKENS = 8
"""Of each crop in a turn of the sequential loop."""


class Peers:
    """Peers that have read the prompts of all crops; closed with the stack."""

    def __init__(
        self, model: BenchModel, crops: Sequence[Crop], lengths: Sequence[int], threads: int, stack: ExitStack
    ) -> None:
        self._model, self._crops, self._threads = model, crops, threads
        self._lengths, self._stack = tuple(map(str, lengths)), stack

    def start(self, names: Collection[str], rounds: int, steps: int, most_tokens: int) -> dict[str, Turn]:
        """Their turns, by name. Those that need long for a token take every so manieth crop in each round."""
        turns: dict[str, Turn] = {}
        if {"sequential", "no-cache"} & {*names}:
            turns |= self._loops(rounds)
        if "transformers" in names:
            turns["transformers"] = self._transformers(rounds)
        if "genai" in names:
            turns["genai"] = self._genai(steps, most_tokens)
        return {name: turn for name, turn in turns.items() if name in names}

    def _loops(self, rounds: int) -> dict[str, Turn]:
        loops = Loops(self._model, self._crops, self._threads)
        loops.prefill()
        loops.decode(1)
        count = len(self._crops)

        def uncached(number: int) -> tuple[int, float]:
            crops = range(number, count, rounds)
            return len(crops), loops.decode_uncached(crops)

        return {
            "sequential": lambda _: (count * LOOP_TOKENS, loops.decode(LOOP_TOKENS)),
            "no-cache": uncached,
        }

    def _transformers(self, rounds: int) -> Turn:
        peer = self._peer("transformers_peer", str(self._model.checkpoint))
        return lambda number: peer.run(*range(number, len(self._crops), rounds))

    def _genai(self, steps: int, most_tokens: int) -> Turn:
        peer = self._peer("genai_peer", str(self._model.folder), str(most_tokens))
        return lambda _: peer.run(steps)

    def _peer(self, module: str, *arguments: str) -> Peer:
        peer = Peer(module, str(self._threads), *arguments, *self._lengths)
        self._stack.callback(peer.stop)
        return peer
