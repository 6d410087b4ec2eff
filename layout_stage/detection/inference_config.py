"""What a layout model's `inference.yml` says: PaddleDetection's export format, as paddlex 3.7.2 reads it."""

import math
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import msgspec

from arcscribe.errors import ModelMissing
from arcscribe.imagenet import MEAN, STD

FILE_NAME = "inference.yml"
_MOST_BYTES = 64 * 1024
"""Files of layout models have 3 KiB."""
_LEAST_SIDE, _MOST_SIDE = 32, 4096
_MOST_LABELS = 256
_MOST_CHARACTERS = 64
"""Of a label or a model's name."""
_MOST_TOLD = 200
"""Characters of what a file has wrong, which may be as long as the file."""


class Family(StrEnum):
    """The kinds of layout networks, by what they take and give."""

    PICODET = "picodet"
    """PP-DocLayout-S and -M: no `im_shape`; boxes that were suppressed within the network."""
    RT_DETR = "rt-detr"
    """PP-DocLayout-L, PP-DocLayout_plus-L, PP-DocBlockLayout: boxes."""
    V2 = "pp-doclayoutv2"
    """Boxes with their reading order."""
    V3 = "pp-doclayoutv3"
    """Boxes with their reading order and masks."""

    @property
    def predicts_order(self) -> bool:
        """Whether its boxes come with their place in the reading order."""
        return self in (Family.V2, Family.V3)


class Interpolation(StrEnum):
    """How a page is brought to the input's size; the names are paddlex's, in the order of its numbers."""

    NEAREST = "NEAREST"
    LINEAR = "LINEAR"
    BICUBIC = "BICUBIC"
    AREA = "AREA"
    LANCZOS4 = "LANCZOS4"


@dataclass(frozen=True, slots=True)
class Normalisation:
    """What becomes of a pixel's red, green and blue: (value * scale - mean) / std."""

    scale: float
    mean: tuple[float, float, float]
    std: tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class LayoutModelConfig:
    """All that must be known to prepare pages for a layout network and to understand what it says."""

    name: str
    """The model's own name, such as PP-DocLayoutV3; that of its folder where the file has none."""
    family: Family
    height: int
    """Of the input, in pixels."""
    width: int
    interpolation: Interpolation
    keep_ratio: bool
    """Whether the page keeps its aspect, and the input is smaller than height or width."""
    normalisation: Normalisation
    labels: tuple[str, ...]
    """By class number."""
    draw_threshold: float


def read_inference_config(folder: Path) -> LayoutModelConfig:
    """What the folder's `inference.yml` says.

    Raises:
        ModelMissing: the file is absent, is no YAML, or describes no layout model that can be run.
    """
    path = folder / FILE_NAME
    data = _content(path)
    try:
        return _config(msgspec.yaml.decode(data, type=_InferenceYml), folder.resolve().name)
    except Exception as error:  # PyYAML raises what its constructors stumble on, such as IndexError
        raise ModelMissing(f"{path}: not a layout model's: {_one_line(error)}") from error


def _content(path: Path) -> bytes:
    """The file's bytes; raises ModelMissing unless it is one, of the size that such files have."""
    try:
        if path.exists() and not path.is_file():
            raise ModelMissing(f"{path}: no file; a layout model's folder holds one")
        with path.open("rb") as file:
            data = file.read(_MOST_BYTES + 1)
    except OSError as error:
        raise ModelMissing(f"{path}: {error.strerror}; a layout model's folder holds one") from error
    if len(data) > _MOST_BYTES:
        raise ModelMissing(f"{path}: larger than {_MOST_BYTES} bytes, which no layout model's is")
    return data


_Side = Annotated[int, msgspec.Meta(ge=_LEAST_SIDE, le=_MOST_SIDE)]
_Label = Annotated[str, msgspec.Meta(min_length=1, max_length=_MOST_CHARACTERS)]
_Triple = tuple[float, float, float]


class _Resize(msgspec.Struct, frozen=True, tag="Resize", tag_field="type"):
    target_size: Annotated[list[_Side], msgspec.Meta(min_length=2, max_length=2)]
    keep_ratio: bool = False
    interp: int | str = 2


class _NormalizeImage(msgspec.Struct, frozen=True, tag="NormalizeImage", tag_field="type"):
    mean: _Triple = MEAN
    std: _Triple = STD
    is_scale: bool = True
    norm_type: str | None = None


class _Permute(msgspec.Struct, frozen=True, tag="Permute", tag_field="type"):
    pass


class _Global(msgspec.Struct, frozen=True):
    model_name: Annotated[str, msgspec.Meta(max_length=_MOST_CHARACTERS)] = ""


_Operation = _Resize | _NormalizeImage | _Permute


class _InferenceYml(msgspec.Struct, frozen=True, rename={"operations": "Preprocess", "about": "Global"}):
    """The part of the file that matters here; the rest is for Paddle's own engines."""

    arch: str
    operations: list[_Operation]
    label_list: Annotated[list[_Label], msgspec.Meta(min_length=1, max_length=_MOST_LABELS)]
    draw_threshold: Annotated[float, msgspec.Meta(ge=0, le=1)] = 0.5
    about: _Global = _Global()


def _config(yml: _InferenceYml, folder_name: str) -> LayoutModelConfig:
    name = yml.about.model_name or folder_name
    if not all(text.isprintable() for text in (name, *yml.label_list)):
        raise ValueError("the model's name or a label holds what cannot be shown")
    resize, normalise = _operations(yml.operations)
    height, width = resize.target_size
    return LayoutModelConfig(
        name,
        _family(name, yml.arch),
        height,
        width,
        _interpolation(resize.interp),
        resize.keep_ratio,
        _normalisation(normalise),
        tuple(yml.label_list),
        yml.draw_threshold,
    )


def _family(name: str, arch: str) -> Family:
    if arch in ("GFL", "PicoDet"):  # PicoDet is exported under the name of the head that it has
        return Family.PICODET
    if arch != "DETR":
        raise ValueError(f"arch {arch!r} is none of GFL, PicoDet, DETR")
    return next((f for f in (Family.V2, Family.V3) if f.value in name.lower()), Family.RT_DETR)


def _operations(operations: list[_Operation]) -> tuple[_Resize, _NormalizeImage | None]:
    """The two operations that have settings.

    Raises:
        ValueError: the operations are others, or in another order.
    """
    match operations:
        case [_Resize() as resize, _NormalizeImage() as normalise, _Permute()]:
            return resize, normalise
        case [_Resize() as resize, _Permute()]:
            return resize, None
    raise ValueError("Preprocess is not Resize, NormalizeImage, Permute")


def _interpolation(interp: int | str) -> Interpolation:
    if isinstance(interp, str):
        return Interpolation(interp.upper())
    if not 0 <= interp < len(Interpolation):
        raise ValueError(f"interp {interp} is not 0 to {len(Interpolation) - 1}")
    return list(Interpolation)[interp]


def _normalisation(operation: _NormalizeImage | None) -> Normalisation:
    if operation is None:
        return Normalisation(1.0, (0.0, 0.0, 0.0), (1.0, 1.0, 1.0))
    if operation.norm_type not in (None, "", "none", "mean_std"):
        raise ValueError(f"norm_type {operation.norm_type!r} is neither none nor mean_std")
    if not all(map(math.isfinite, (*operation.mean, *operation.std))) or not all(operation.std):
        raise ValueError("mean or std is no number to divide by")
    # paddlex applies mean and std with `norm_type: none` too; models that want none have 0 and 1.
    return Normalisation(1 / 255 if operation.is_scale else 1.0, operation.mean, operation.std)


def _one_line(error: BaseException) -> str:
    text = " ".join(str(error).split()) or type(error).__name__
    return text if len(text) <= _MOST_TOLD else f"{text[:_MOST_TOLD]}..."
