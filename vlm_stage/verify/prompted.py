"""A picture and what is asked about it, as the decoder takes them."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vlm_stage.engines.paddleocr_vl.inputs.crop_preparer import CropPreparer, PreparedCrop
from vlm_stage.engines.paddleocr_vl.inputs.tokenizer import TextTokenizer
from vlm_stage.engines.paddleocr_vl.manifest import TOKENIZER, Manifest
from vlm_stage.engines.paddleocr_vl.networks.embedder import Embedder, prompt_embeds


@dataclass(frozen=True, slots=True, eq=False)
class Prompted:
    """`embeds` float32 (T, hidden), image tokens included; `positions` int64 (3, T).

    That of token i behind the prompt is i + `delta` on all axes.
    """

    embeds: NDArray[np.float32]
    positions: NDArray[np.int64]
    delta: int

    def __len__(self) -> int:
        return len(self.embeds)

    def positions_of(self, start: int, end: int) -> NDArray[np.int64]:
        """Int64 (3, end - start): those of the prompt, and of what follows it."""
        own = self.positions[:, start:end]
        behind = np.arange(start + own.shape[1], end) + self.delta
        return np.concatenate([own, np.tile(behind, (3, 1))], axis=1)


def prompted(prepared: PreparedCrop, image_tokens: NDArray[np.float32], embedder: Embedder) -> Prompted:
    """The prompt of a prepared crop, with image tokens (n, hidden) in their place."""
    embeds = prompt_embeds(embedder, prepared.prompt, image_tokens)
    return Prompted(embeds, prepared.positions, prepared.delta)


def crop_preparer(folder: Path, manifest: Manifest) -> CropPreparer:
    """What makes prompts of pictures, for the converted model in a folder.

    Raises:
        ModelMissing: its tokenizer cannot be read.
    """
    tokenizer = TextTokenizer.from_file(folder / TOKENIZER)
    return CropPreparer(tokenizer, manifest.template, manifest.images, manifest.config)
