"""A trained toy reader as a checkpoint folder in the published layout."""

import json
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray
from transformers import PaddleOCRVLForConditionalGeneration

from samples.checkpoints.checkpoint import write_settings, write_weights
from samples.checkpoints.safetensors import Shape
from samples.checkpoints.settings import PREPROCESSOR
from samples.checkpoints.tokenizer import write_tokenizer
from samples.checkpoints.weights import stored_name
from samples.toy_reader import vocabulary
from samples.toy_reader.sizes import READER
from vlm_stage.convert.tensors import expected_tensors

LEAST_PIXELS = 28 * 28
"""Lines are read at the size in which they come: one merged patch is the least."""


def export(model: PaddleOCRVLForConditionalGeneration, folder: Path) -> None:
    """Writes the weights (float16), the settings and the tokenizer."""
    config = replace(READER, tie_word_embeddings=False)
    write_settings(folder, config, "published", "f16")
    settings = json.dumps(PREPROCESSOR | {"min_pixels": LEAST_PIXELS}, indent=2)
    (folder / "preprocessor_config.json").write_text(settings + "\n", encoding="utf-8")
    write_tokenizer(folder, vocabulary.VOCABULARY_SIZE, vocabulary.IDS)
    vocabulary.tokenizer().save(str(folder / "tokenizer.json"))
    names = {stored_name(name, "published"): name for name in expected_tensors(config)}
    state = model.state_dict()

    def pieces(name: str, _: Shape) -> Iterable[NDArray[np.float32]]:
        yield state[names[name]].numpy().ravel()

    shapes = {name: tuple(state[names[name]].shape) for name in sorted(names)}
    write_weights(folder, shapes, pieces, "f16")
