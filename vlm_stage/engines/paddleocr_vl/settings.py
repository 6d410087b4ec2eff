"""The settings of the engine `paddleocr-vl`, as the VLM stage's TOML file holds them."""

from pathlib import Path
from typing import Annotated, Literal

import msgspec

from arcscribe.errors import ModelMissing
from arcscribe.models.commands import convert_command

ENGINE = "paddleocr-vl"
"""The engine's name in settings and results."""
PATCHES_OF_A_TOKEN = 4
"""Two patches by two become one token (`spatial_merge_size` of every published checkpoint)."""

Count = Annotated[int, msgspec.Meta(ge=1)]
CountOrNone = Annotated[int, msgspec.Meta(ge=0)]


class PaddleOcrVlSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which model runs where, and how much of a device it takes; all sizes are for each device.

    Raises:
        ValueError: sizes that do not go together, which msgspec turns into its own error.
    """

    model: str = "paddleocr-vl-1.6-int8"
    """A converted model: its name in the model store, or a folder where there is none of that name."""
    devices: Annotated[tuple[str, ...], msgspec.Meta(min_length=1)] = ("CPU",)
    """One engine for each, behind one queue."""
    threads: CountOrNone = 0
    """On a CPU; 0 leaves the number to OpenVINO."""
    cache_dir: str = ""
    """A folder for compiled models; empty: none is kept."""
    inference_precision: Literal["", "f32", "f16", "bf16"] = ""
    """What the networks compute in. Empty: f32 on a CPU, f16 on a GPU."""
    vision_precision: Literal["", "f32", "f16", "bf16"] = ""
    """The vision encoder's, where it is to be another."""
    kv_precision: Literal["", "f32", "f16", "bf16", "u8"] = ""
    """Empty: what a CPU computes in, f16 on a GPU."""
    kv_memory_mb: Count = 1024
    token_budget: Count = 512
    """Tokens of one step: those of new crops, in chunks, and one of each that is being written."""
    max_sequences: Count = 16
    """Crops that are written at once."""
    patch_buckets: tuple[Count, ...] = (256, 512, 1024, 2048, 4096, 5120)
    """Numbers of patches to which a GPU's vision batches are padded; without effect on a CPU."""
    draft_tokens: Annotated[int, msgspec.Meta(ge=0, le=256)] = 16
    """Tokens of drafts that one step verifies at most; 0: drafts are not used."""
    max_new_tokens: Count = 4096
    """Of a crop whose options name no number; paddlex 3.7.2 has the same."""

    def __post_init__(self) -> None:
        if len(set(self.devices)) < len(self.devices):
            raise ValueError(f"a device is named twice: {', '.join(self.devices)}")
        if self.token_budget < self.max_sequences:
            raise ValueError(
                f"token_budget is {self.token_budget}, less than max_sequences, {self.max_sequences}"
            )
        if any(bucket % PATCHES_OF_A_TOKEN for bucket in self.patch_buckets):
            raise ValueError(f"patch_buckets must be multiples of {PATCHES_OF_A_TOKEN}")
        if list(self.patch_buckets) != sorted(set(self.patch_buckets)):
            raise ValueError("patch_buckets must grow from one to the next")

    def folder(self, model_root: Path) -> Path:
        """The folder of the converted model, which is there. The store goes before the working directory.

        Raises:
            ModelMissing: it is not.
        """
        here = Path(self.model).expanduser()
        places = (model_root / here, here) if self.model == here.name else (here,)
        for folder in places:
            if folder.is_dir():
                return folder
        if command := convert_command(self.model):
            raise ModelMissing(f"{places[0]} is not there; run: {command}", command=command)
        told = " nor ".join(map(str, places))
        raise ModelMissing(f"there is no {told}; {_LIST} shows which models there are", command=_LIST)


_LIST = "arcscribe models list"
