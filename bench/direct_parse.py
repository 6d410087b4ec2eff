"""A document parsed by calls of the stages' code in one process, without an orchestrator and gRPC."""

import time
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from threading import Lock

import msgspec

from arcscribe.document import Document, ParsedPage
from arcscribe.errors import QueueFull
from arcscribe.geometry import turn_upright
from arcscribe.models.store import ModelStore
from arcscribe.tools.local_service import LocalSettings
from arcscribe.types import Block, Crop, PartialText, RecognizeOptions, RegionFailure, RegionText, RgbImage
from layout_stage.engines.load import load_analyzer, model_paths
from layout_stage.settings import LayoutSettings
from orchestrator.assemble import assemble
from orchestrator.crops import crop_regions
from orchestrator.pages.formats import detect_format
from orchestrator.pages.limits import DEFAULT_DPI, PageLimits
from orchestrator.pages.messages import Rendered, anonymous_file
from orchestrator.pages.pdf import PdfFile
from orchestrator.pages.pictures import PictureFile
from orchestrator.pages.process import pixels_of
from orchestrator.pictures import cut_pictures
from vlm_stage.engines.engine import EngineOutput
from vlm_stage.engines.load import load_engine
from vlm_stage.settings import VlmSettings

LIMITS = PageLimits()
PAUSE_SECONDS = 0.01
"""Before a full engine is asked again, as the VLM stage does."""


class DirectParser:
    """The engines of both stages, loaded; `window` pages of a document are in work, as in the service."""

    def __init__(self, settings: LocalSettings, window: int) -> None:
        layout = msgspec.convert(settings.layout, LayoutSettings)
        self._analyzer = load_analyzer(layout, model_paths(layout))
        self._engine = load_engine(msgspec.convert(settings.vlm, VlmSettings), ModelStore().root)
        self._engine.warm_up()
        self._pages = ThreadPoolExecutor(window)
        self._rendering, self._analyzing = Lock(), Lock()

    def parse(self, path: Path) -> str:
        """The Markdown of a document."""
        data = path.read_bytes()
        file_format = detect_format(data, path.name)
        descriptor = anonymous_file(data)
        file = PdfFile(descriptor, "") if file_format == "PDF" else PictureFile(descriptor, file_format)
        try:
            pages = self._pages.map(lambda index: self._page(file, index), range(file.page_count))
            document = Document(path.name, file.page_count, tuple(pages))
        finally:
            file.close()
        return assemble(document).text

    def close(self) -> None:
        """Ends the threads."""
        self._engine.close(1.0)
        self._pages.shutdown()

    def _page(self, file: PdfFile | PictureFile, index: int) -> ParsedPage:
        with self._rendering:
            pixels = _rendered(file, index)
        with self._analyzing:
            layout = self._analyzer.analyze(pixels)
        upright = turn_upright(pixels, layout.rotation)
        crops, failures = crop_regions(upright, layout.regions, RecognizeOptions())
        answers = {crop.id: self._submitted(crop) for crop in crops}
        results = dict(failures) | {number: answer.result() for number, answer in answers.items()}
        blocks = tuple(Block(region, results[region.id]) for region in layout.regions)
        blocks, _ = cut_pictures(index + 1, upright, blocks)
        return ParsedPage(index + 1, layout.width, layout.height, layout.rotation, blocks)

    def _submitted(self, crop: Crop) -> "Future[RegionText | RegionFailure]":
        answer: Future[RegionText | RegionFailure] = Future()

        def deliver(output: EngineOutput) -> None:
            if not isinstance(output, PartialText):
                answer.set_result(output)

        while True:
            try:
                self._engine.submit(crop, deliver)
            except QueueFull:
                time.sleep(PAUSE_SECONDS)
            else:
                return answer


def _rendered(file: PdfFile | PictureFile, index: int) -> RgbImage:
    if isinstance(file, PdfFile):
        reply, descriptor = file.render(index, DEFAULT_DPI, LIMITS.max_page_megapixels)
    else:
        reply, descriptor = file.render(index, LIMITS.max_page_megapixels, LIMITS.max_picture_megapixels)
    assert isinstance(reply, Rendered)
    assert descriptor is not None
    return pixels_of(descriptor, reply)
