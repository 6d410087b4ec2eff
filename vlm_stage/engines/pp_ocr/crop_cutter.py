"""From a crop to the images of its lines."""

from pathlib import Path

from arcscribe.inference.model_files import existing
from arcscribe.inference.openvino import OpenVinoSettings
from arcscribe.inference.text_detector import TextDetector
from arcscribe.types import Box, Crop, RegionKind, RgbImage, TextLine
from vlm_stage.engines.pp_ocr.first_use import OnFirstUse
from vlm_stage.engines.pp_ocr.line_images import line_images, scale_line
from vlm_stage.engines.pp_ocr.seal_cutter import Inscription, cut_seal
from vlm_stage.engines.pp_ocr.seal_ink import lift_seal

_MAX_SINGLE_LINE_HEIGHT = 160
"""A crop up to so many pixels high in which no line is found is read as one: detectors miss lone digits."""


class CropCutter:
    """Knows where a crop's lines are, or finds them with a detector that is loaded when it is first needed.

    The layout stage sends the lines along, so that most processes never need the detector.
    """

    def __init__(self, detector: Path, settings: OpenVinoSettings) -> None:
        """Raises ModelMissing if the detector's file is not there."""
        path = existing(detector)
        self._detector = OnFirstUse(lambda: TextDetector(path, settings))

    def lines(self, crop: Crop) -> tuple[TextLine, ...]:
        """The lines that came with the crop, or those found in it, or the whole crop if it may be one."""
        if crop.lines:
            return crop.lines
        return self._detector.get().detect(crop.pixels) or _whole(crop)

    def images(self, crop: Crop, line: TextLine) -> list[RgbImage]:
        """The line at the recogniser's height; twice, upright and turned, where it may be either.

        A red seal that lies over it is lifted off.
        """
        return [scale_line(lift_seal(image)) for image in line_images(crop.pixels, line)]

    def inscriptions(self, seal: Crop) -> tuple[Inscription, ...]:
        """What is written along a seal's ring and across its middle; nothing where it has no ring."""
        return cut_seal(seal, lambda pixels: self._detector.get().detect(pixels))


def _whole(crop: Crop) -> tuple[TextLine, ...]:
    height, width = crop.pixels.shape[:2]
    if height > _MAX_SINGLE_LINE_HEIGHT or crop.kind is RegionKind.TABLE or min(height, width) < 2:
        return ()
    box = Box(0, 0, width, height)
    return (TextLine(box, box.to_polygon(), score=0.0),)
