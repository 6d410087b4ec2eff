"""How a checkpoint wants its images, from the files it brings."""

from pathlib import Path

import msgspec

from arcscribe.errors import ModelMissing
from vlm_stage.convert.small_files import is_there, read_small
from vlm_stage.engines.paddleocr_vl.inputs.images import ImageSettings


class _Size(msgspec.Struct, frozen=True):
    """Limits in pixels, as transformers has named them since version 5, and as remote code names them."""

    shortest_edge: int | None = None
    longest_edge: int | None = None
    min_pixels: int | None = None
    max_pixels: int | None = None


class _Preprocessor(msgspec.Struct, frozen=True):
    """Those keys whose value may lie elsewhere, or cannot be another for any PaddleOCR-VL."""

    size: _Size = _Size()
    min_pixels: int | None = None
    max_pixels: int | None = None
    do_resize: bool = True
    temporal_patch_size: int = 1


class _Processor(msgspec.Struct, frozen=True):
    image_processor: msgspec.Raw = msgspec.Raw()


def read_image_settings(folder: Path) -> ImageSettings:
    """The settings of a checkpoint's folder; keys that are not known are passed over: the files are its own.

    From `processor_config.json` where that has them inside, as transformers 5 saves them, else from
    `preprocessor_config.json`: in the order in which transformers looks.

    Raises:
        ModelMissing: neither file has them, or they cannot be followed.
    """
    outer, path = folder / "processor_config.json", folder / "preprocessor_config.json"
    try:
        if is_there(outer):
            inner = msgspec.json.decode(read_small(outer), type=_Processor).image_processor
            if bytes(inner):
                return _settings(bytes(inner))
        if not is_there(path):
            raise ModelMissing(f"{path} is not there: how does this checkpoint want its images?")
        return _settings(read_small(path))
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise ModelMissing(f"the image settings in {folder} cannot be followed: {error}") from error


def _settings(content: bytes) -> ImageSettings:
    """Limits of their own count before those in `size`, as in transformers."""
    keys = msgspec.json.decode(content, type=_Preprocessor)
    if not keys.do_resize or keys.temporal_patch_size != 1:
        raise ValueError("PaddleOCR-VL resizes its images and takes each by itself")
    least = _first(keys.min_pixels, keys.size.shortest_edge, keys.size.min_pixels)
    most = _first(keys.max_pixels, keys.size.longest_edge, keys.size.max_pixels)
    limits = {"min_pixels": least, "max_pixels": most}
    plain = msgspec.json.decode(content, type=dict[str, object])
    return msgspec.convert(
        {**plain, **{name: value for name, value in limits.items() if value is not None}}, ImageSettings
    )


def _first(*values: int | None) -> int | None:
    return next((value for value in values if value is not None), None)
