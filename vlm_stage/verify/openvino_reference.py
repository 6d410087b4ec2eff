"""The same networks in float32 on the CPU, without paged attention, one picture at a time."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vlm_stage.engines.paddleocr_vl.manifest import Manifest
from vlm_stage.engines.paddleocr_vl.networks.load_networks import load_embedder
from vlm_stage.engines.paddleocr_vl.verification.exact_networks import ExactDecoder, exact_vision
from vlm_stage.verify.pictures import Picture
from vlm_stage.verify.prompted import Prompted, crop_preparer, prompted
from vlm_stage.verify.reading import Reading, crop_of


class OpenVinoReference:
    """What a device is compared with: the weights are the same, all else is as plain as it can be."""

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        """Raises ModelMissing where a file of the converted model cannot be read."""
        self._preparer = crop_preparer(folder, manifest)
        self._vision = exact_vision(folder, manifest.config.vision)
        self._embedder = load_embedder(folder)
        self._decoder = ExactDecoder(folder)
        self._end_token = manifest.config.eos_token_id

    def read(self, picture: Picture, steps: int, tokens: Sequence[int] = ()) -> Reading:
        """Reads a picture greedily until its text ends, but no more than so many tokens, at least 1.

        With `tokens`, which another reading gave, those are its text, and `logits` what it would have said
        after each.
        """
        prepared = self._preparer.prepare(crop_of(picture), picture.prompt)
        self._vision.start([prepared.patches])
        (image_tokens,) = self._vision.collect()
        prompt = prompted(prepared, image_tokens, self._embedder)
        self._decoder.forget()
        rows = [self._decoder.run(prompt.embeds, prompt.positions, 1)]
        text = [tokens[0] if tokens else int(rows[0].argmax())]
        while not self._is_over(text, len(tokens) or steps, given=bool(tokens)):
            rows.append(self._next(prompt, text))
            text.append(tokens[len(text)] if tokens else int(rows[-1].argmax()))
        return Reading(image_tokens, tuple(text), np.concatenate(rows))

    def _is_over(self, text: Sequence[int], steps: int, *, given: bool) -> bool:
        return len(text) == steps or (text[-1] == self._end_token and not given)

    def _next(self, prompt: Prompted, text: Sequence[int]) -> NDArray[np.float32]:
        """The logits, float32 (1, vocabulary), after the last token of a text, which is run for it."""
        last = len(prompt) + len(text) - 1
        embeds = self._embedder.embed(text[-1:])
        return self._decoder.run(embeds, prompt.positions_of(last, last + 1), 1)
