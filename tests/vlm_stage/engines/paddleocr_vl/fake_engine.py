"""The engine with all its own parts, on fake networks."""

import queue
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, cast

import numpy as np

from arcscribe.types import Crop, PartialText, RecognizeOptions, RegionKind, StageModel
from tests.vlm_stage.engines.paddleocr_vl.fake_networks import (
    END,
    LETTERS,
    VOCABULARY,
    WIDTH,
    FakeDecoder,
    FakeEmbedder,
    FakeVision,
)
from vlm_stage.engines.engine import Engine, EngineOutput
from vlm_stage.engines.paddleocr_vl.batch_reader import BatchReader
from vlm_stage.engines.paddleocr_vl.crop_encoder import CropEncoder
from vlm_stage.engines.paddleocr_vl.decoding.decode_loop import DecodeLoop
from vlm_stage.engines.paddleocr_vl.decoding.generation import ModelTokens
from vlm_stage.engines.paddleocr_vl.decoding.sampler import Sampler
from vlm_stage.engines.paddleocr_vl.decoding.step_inputs import StepInputs
from vlm_stage.engines.paddleocr_vl.engine import PaddleOcrVlEngine
from vlm_stage.engines.paddleocr_vl.inputs.crop_preparer import CropPreparer
from vlm_stage.engines.paddleocr_vl.inputs.images import ImageSettings
from vlm_stage.engines.paddleocr_vl.inputs.prompts import ChatTemplate
from vlm_stage.engines.paddleocr_vl.inputs.rotation import TextRotation
from vlm_stage.engines.paddleocr_vl.inputs.tokenizer import TextTokenizer
from vlm_stage.engines.paddleocr_vl.model_config import ModelConfig, TextConfig
from vlm_stage.engines.paddleocr_vl.scheduling.scheduler import Scheduler
from vlm_stage.engines.paddleocr_vl.scheduling.settings import SchedulerSettings

CONFIG = ModelConfig(
    text=TextConfig(vocab_size=VOCABULARY, hidden_size=WIDTH, head_dim=8, mrope_section=(1, 1, 2)),
    eos_token_id=END,
)
IMAGES = ImageSettings(min_pixels=28 * 28, max_pixels=28 * 28 * 8)
TEMPLATE = ChatTemplate("<|begin_of_sentence|>User: <|IMAGE_START|>", "<|IMAGE_END|>", "\nAssistant:\n")


@dataclass
class Fakes:
    """What to look at, and what to break, in an engine."""

    vision: FakeVision = field(default_factory=FakeVision)
    decoder: FakeDecoder = field(default_factory=FakeDecoder)
    max_sequences: int = 4
    token_budget: int = 24
    draft_budget: int = 6
    overlaps: bool = False
    row_patches: int = 1
    capacity: int = 64
    prepare: Callable[[Crop], object] = id
    """Called with a crop before it is made into patches."""
    scheduler: Scheduler | None = None
    """The engine's, once it runs."""


@contextmanager
def running(fakes: Fakes, tokenizer: Path) -> Iterator[PaddleOcrVlEngine]:
    """An engine on those networks, closed in the end."""
    engine = PaddleOcrVlEngine(
        StageModel("paddleocr-vl", "fake", "CPU"),
        lambda wake: _reader(fakes, tokenizer, wake),
        fakes.capacity,
    )
    try:
        yield engine
    finally:
        engine.close(5)


def _reader(fakes: Fakes, tokenizer_file: Path, wake: Callable[[], None]) -> BatchReader:
    tokenizer = TextTokenizer.from_file(tokenizer_file)
    preparer = CropPreparer(tokenizer, TEMPLATE, IMAGES, CONFIG)
    embedder = cast(Any, FakeEmbedder())

    def prepare(request: Any) -> Any:
        fakes.prepare(request.crop)
        return preparer.prepare(request.crop, request.prompt)

    encoder = CropEncoder(
        cast(Any, fakes.vision),
        prepare,
        ThreadPoolExecutor(2),
        wake,
        overlaps=fakes.overlaps,
        row_patches=fakes.row_patches,
    )
    fakes.decoder.alphabet = tuple(map(tokenizer.token_id, LETTERS))
    decoder = cast(Any, fakes.decoder)
    settings = SchedulerSettings(
        decoder.block_size, decoder.block_count, fakes.max_sequences, fakes.token_budget, fakes.draft_budget
    )
    fakes.scheduler = Scheduler(settings)
    inputs = StepInputs(embedder, TextRotation(CONFIG.text), decoder.block_size)
    return BatchReader(
        StageModel("paddleocr-vl", "fake", "CPU"),
        ModelTokens(tokenizer, END, tokenizer.find_token("<nl>")),
        encoder,
        embedder,
        DecodeLoop(fakes.scheduler, inputs, decoder, Sampler(VOCABULARY), CONFIG.text),
        most_open=fakes.max_sequences,
        max_new_tokens=60,
        draft_tokens=fakes.draft_budget,
    )


def crop(number: int, **options: Any) -> Crop:
    """A crop of its own grey and size."""
    draft, kind = options.pop("draft", ""), options.pop("kind", RegionKind.TEXT)
    pixels = np.full((28, 28 * (1 + number % 5), 3), 3 * number % 256, np.uint8)
    return Crop(number, kind, pixels, draft=draft, options=RecognizeOptions(**options))


def read_all(engine: Engine, crops: Sequence[Crop]) -> dict[int, list[EngineOutput]]:
    """All that is told of crops that are handed in at once, by their numbers."""
    output: queue.SimpleQueue[tuple[int, EngineOutput]] = queue.SimpleQueue()
    for one in crops:
        engine.submit(one, partial(_put, output, one.id), stream=one.id % 3)
    heard: dict[int, list[EngineOutput]] = {one.id: [] for one in crops}
    while any(not is_answer(all_told) for all_told in heard.values()):
        number, what = output.get(timeout=20)
        heard[number].append(what)
    return heard


def _put(output: "queue.SimpleQueue[tuple[int, EngineOutput]]", number: int, what: EngineOutput) -> None:
    output.put((number, what))


def is_answer(output: Sequence[EngineOutput]) -> bool:
    return bool(output) and not isinstance(output[-1], PartialText)
