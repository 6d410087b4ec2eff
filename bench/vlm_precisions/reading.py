"""The pictures, and what a converted model makes of them through the paged decoder."""

from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from vlm_stage.engines.paddleocr_vl.manifest import read_manifest
from vlm_stage.engines.paddleocr_vl.networks.load_networks import load_networks, plan_for
from vlm_stage.engines.paddleocr_vl.settings import PaddleOcrVlSettings
from vlm_stage.verify.decoding import Text, alone
from vlm_stage.verify.pictures import Picture, drawn_pictures
from vlm_stage.verify.prompted import crop_preparer, prompted
from vlm_stage.verify.reading import crop_of
from vlm_stage.verify.stepper import Stepper, kv_megabytes

PICTURES = tuple(picture for picture in drawn_pictures() if picture.name != "column")
KV_MEMORY_MB = 256
"""At least."""


class PictureReader:
    """A converted model that reads pictures, its KV cache large enough for these texts."""

    def __init__(
        self,
        folder: Path,
        kv_cache: str,
        texts: Sequence[Sequence[int]],
        pictures: Sequence[Picture] = PICTURES,
    ) -> None:
        """Raises ModelMissing where the folder holds no converted model."""
        manifest = read_manifest(folder)
        config, preparer = manifest.config, crop_preparer(folder, manifest)
        self._texts = texts
        self._crops = [preparer.prepare(crop_of(picture), picture.prompt) for picture in pictures]
        pairs = zip(self._crops, texts, strict=True)
        longest = max(len(crop.prompt.ids) + len(text) for crop, text in pairs)
        settings = msgspec.convert({"kv_precision": kv_cache}, PaddleOcrVlSettings)
        memory = max(kv_megabytes(config.text, 1, longest), KV_MEMORY_MB)
        self._networks = load_networks(folder, config.vision, plan_for(settings, "CPU"), memory)
        self._stepper = Stepper(self._networks.decoder, self._networks.embedder, config.text, places=1)

    def read(self) -> tuple[list[NDArray[np.float32]], list[NDArray[np.float32]]]:
        """The image tokens of the pictures, and the logits after each token of their texts."""
        vision: list[NDArray[np.float32]] = []
        logits = []
        for crop, text in zip(self._crops, self._texts, strict=True):
            self._networks.vision.start([crop.patches])
            vision += self._networks.vision.collect()
            read = prompted(crop, vision[-1], self._networks.embedder)
            logits.append(alone(self._stepper, Text(read, text)))
        return vision, logits
