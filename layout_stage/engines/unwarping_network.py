"""UVDoc on OpenVINO: a page in, the page made flat out."""

from pathlib import Path
from typing import Any

import numpy as np

from arcscribe.errors import InferenceFailed, ModelMissing
from arcscribe.inference.openvino import OpenVinoSettings, compile_network, read_network
from arcscribe.types import RgbImage
from layout_stage.unwarping import unwarped_image, unwarping_input

_PRECISE = {"INFERENCE_PRECISION_HINT": "f32"}
"""On all devices: places of pixels in half precision are off by a whole one on a page of 2,000."""


class UnwarpingNetwork:
    """The loaded network. `unwarp` may be called from several threads."""

    def __init__(self, path: Path, openvino: OpenVinoSettings) -> None:
        """Reads and compiles it.

        Raises:
            ModelMissing: the file is not there, or does not take a page of any size.
            DeviceMissing: OpenVINO does not see the device.
        """
        network = read_network(path)
        if not _takes_any_page(network):
            raise ModelMissing(f"{path}: its network does not take a page of any size, as UVDoc's does")
        self._network = compile_network(network, openvino, properties=_PRECISE)

    def unwarp(self, image: RgbImage) -> RgbImage:
        """The page without the bends of its paper, of the same size.

        Raises:
            InferenceFailed: the network's answer is no page of that size.
        """
        request = self._network.create_infer_request()
        request.infer([unwarping_input(image)])
        output = request.get_output_tensor(0).data
        if output.shape != (1, 3, *image.shape[:2]):
            raise InferenceFailed(f"the unwarping network answered with the shape {output.shape}")
        return unwarped_image(np.asarray(output, np.float32))


def _takes_any_page(network: Any) -> bool:
    """Whether an OpenVINO model's only input has a height and a width that are left open."""
    shapes = [port.get_partial_shape() for port in network.inputs]
    if len(shapes) != 1 or shapes[0].rank.is_dynamic or len(shapes[0]) != 4:
        return False
    return bool(shapes[0][2].is_dynamic and shapes[0][3].is_dynamic)
