"""The model that all sides run: the published sizes, seeded random weights, INT8."""

import sys
from dataclasses import dataclass
from pathlib import Path

import msgspec

from samples.checkpoints.checkpoint import FULL, write_checkpoint
from samples.checkpoints.tokenizer import write_tokenizer
from vlm_stage.convert.convert import convert
from vlm_stage.convert.request import Request
from vlm_stage.engines.paddleocr_vl.inputs.crop_preparer import CropPreparer
from vlm_stage.engines.paddleocr_vl.inputs.tokenizer import TextTokenizer
from vlm_stage.engines.paddleocr_vl.manifest import DECODER, TOKENIZER, NetworkPrecision, read_manifest
from vlm_stage.engines.paddleocr_vl.model_config import ModelConfig

CHECKPOINT, INT8 = "checkpoint", "int8"
LAYERS = FULL.text.num_hidden_layers


@dataclass(frozen=True, slots=True)
class BenchModel:
    """A checkpoint, what it was converted to, and its sizes."""

    folder: Path
    config: ModelConfig
    tokenizer: TextTokenizer
    preparer: CropPreparer

    @property
    def checkpoint(self) -> Path:
        return self.folder / CHECKPOINT

    @property
    def converted(self) -> Path:
        return self.folder / INT8

    @property
    def weight_bytes(self) -> int:
        """Of the decoder: what a step reads at least."""
        return (self.converted / DECODER).with_suffix(".bin").stat().st_size


def make_model(folder: Path, layers: int) -> BenchModel:
    """The model in a folder, which keeps it for the next time.

    Args:
        folder: made where it is not there.
        layers: of the decoder. The vision encoder has one: nobody runs it.
    """
    own = folder / f"layers-{layers}"
    converted = own / INT8
    if not converted.exists():
        print(f"making the model in {own}", file=sys.stderr)
        _write_checkpoint(own / CHECKPOINT, layers)
        convert(Request(own / CHECKPOINT, converted, NetworkPrecision.INT8), lambda _task, _done: None)
    manifest = read_manifest(converted)
    tokenizer = TextTokenizer.from_file(converted / TOKENIZER)
    preparer = CropPreparer(tokenizer, manifest.template, manifest.images, manifest.config)
    return BenchModel(own, manifest.config, tokenizer, preparer)


def _write_checkpoint(folder: Path, layers: int) -> None:
    config = msgspec.structs.replace(
        FULL,
        text=msgspec.structs.replace(FULL.text, num_hidden_layers=layers),
        vision=msgspec.structs.replace(FULL.vision, num_hidden_layers=1),
    )
    write_tokenizer(folder, config.text.vocab_size)
    write_checkpoint(folder, config=config, layout="transformers")
