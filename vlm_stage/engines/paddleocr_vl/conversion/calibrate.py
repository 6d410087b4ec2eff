"""INT8 arithmetic for the vision encoder: the ranges of its activations are seen on pictures."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import openvino as ov
from numpy.typing import NDArray

from arcscribe.errors import InvalidDocument, InvalidOption
from vlm_stage.engines.paddleocr_vl.conversion.compress import kept_names, load_nncf
from vlm_stage.engines.paddleocr_vl.conversion.pictures import SUFFIXES, picture_files, read_picture
from vlm_stage.engines.paddleocr_vl.inputs.images import ImageSettings, patchify
from vlm_stage.engines.paddleocr_vl.model_config import VisionConfig
from vlm_stage.engines.paddleocr_vl.networks.packing import pack

MAX_PIXELS = 150_528
"""Of a picture, after resizing: 768 patches. NNCF keeps what every layer gives, about 5 MB for each patch."""

MOST_PICTURES = 300
"""NNCF's own default: ranges hardly change after that."""


def find_pictures(paths: Sequence[Path]) -> tuple[Path, ...]:
    """The picture files among these paths and in these folders; of many, `MOST_PICTURES` spread evenly.

    Raises:
        InvalidOption: a path is not there, or there is no picture.
    """
    found: list[Path] = []
    for path in paths:
        if not path.exists():
            raise InvalidOption(f"{path} is not there", field="calibrate")
        inside = picture_files(path) if path.is_dir() else [path]
        found += [file for file in inside if file.suffix.lower() in SUFFIXES]
    if not found:
        raise InvalidOption(f"no picture in {', '.join(map(str, paths))}", field="calibrate")
    chosen = np.linspace(0, len(found) - 1, min(len(found), MOST_PICTURES)).round().astype(int)
    return tuple(found[index] for index in chosen)


def calibrated(
    network: ov.Model,
    config: VisionConfig,
    images: ImageSettings,
    pictures: Sequence[Path],
    on_picture: Callable[[int], None],
) -> ov.Model:
    """The vision encoder with INT8 weights and INT8 activations.

    Args:
        network: of `build_vision`.
        pictures: at least one, crops as documents have them.
        on_picture: told how many pictures have been read; they may be read more than once.

    Raises:
        InvalidOption: a picture cannot be read.
        ModelMissing: nncf is not installed.
    """
    nncf = load_nncf()

    def inputs(index: int) -> dict[str, NDArray[np.generic]]:
        on_picture(index)
        return picture_inputs(pictures[index], config, images)

    return nncf.quantize(
        network,
        nncf.Dataset(range(len(pictures)), inputs),
        model_type=nncf.ModelType.TRANSFORMER,
        subset_size=len(pictures),
        ignored_scope=nncf.IgnoredScope(names=kept_names(network), validate=False),
    )


def picture_inputs(path: Path, config: VisionConfig, images: ImageSettings) -> dict[str, NDArray[np.generic]]:
    """The encoder's inputs for one picture.

    Raises:
        InvalidOption: it cannot be read.
    """
    pixels, limit = read_picture(path, "calibrate"), min(images.max_pixels, MAX_PIXELS)
    try:
        patches = patchify(pixels, images, limit, min(images.min_pixels, limit))
    except InvalidDocument as error:
        raise InvalidOption(f"{path} cannot calibrate: {error}", field="calibrate") from error
    return pack([patches], config).arrays
