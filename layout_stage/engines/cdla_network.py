"""The network layout_cdla, whatever runs it."""

from arcscribe.types import RgbImage
from layout_stage.cdla_boxes import LayoutBox, decode_layout
from layout_stage.engines.network import Network
from layout_stage.preprocess import layout_input

_THRESHOLD = 0.3
"""Low, since `layout_stage.fusion` weighs each box and asks more of it by its label."""


class CdlaNetwork:
    """The loaded network. `detect` may be called from several threads; its batch is of one page always."""

    def __init__(self, network: Network) -> None:
        self._network = network

    def detect(self, image: RgbImage) -> tuple[LayoutBox, ...]:
        """What layout_cdla sees, the doubtful included, in pixels of the image."""
        outputs = self._network.run({self._network.input_names[0]: layout_input(image)})
        # The network's eight outputs are four score maps, then four box maps, from the finest stride to the
        # coarsest.
        maps = [output[0] for output in outputs]
        return decode_layout(maps[:4], maps[4:], (image.shape[0], image.shape[1]), _THRESHOLD)
