"""The engine's own parts put together as `load_paddleocr_vl` does it, but for the vision encoder."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

from arcscribe.inference.openvino import compile_network, read_network
from arcscribe.types import StageModel
from bench.vlm_peers.crops import NoVision
from bench.vlm_peers.model import BenchModel
from bench.vlm_peers.timed import TimedNetwork
from vlm_stage.engines.paddleocr_vl.batch_reader import BatchReader
from vlm_stage.engines.paddleocr_vl.crop_encoder import CropEncoder
from vlm_stage.engines.paddleocr_vl.crop_request import CropRequest
from vlm_stage.engines.paddleocr_vl.decoding.decode_loop import DecodeLoop
from vlm_stage.engines.paddleocr_vl.decoding.generation import ModelTokens
from vlm_stage.engines.paddleocr_vl.decoding.sampler import Sampler
from vlm_stage.engines.paddleocr_vl.decoding.step_inputs import StepInputs
from vlm_stage.engines.paddleocr_vl.graphs.paged import to_paged
from vlm_stage.engines.paddleocr_vl.inputs.crop_preparer import PreparedCrop
from vlm_stage.engines.paddleocr_vl.inputs.rotation import TextRotation
from vlm_stage.engines.paddleocr_vl.load import ROW_END
from vlm_stage.engines.paddleocr_vl.manifest import DECODER
from vlm_stage.engines.paddleocr_vl.networks.load_networks import load_embedder, plan_for
from vlm_stage.engines.paddleocr_vl.networks.paged_decoder import PagedDecoder
from vlm_stage.engines.paddleocr_vl.scheduling.scheduler import Scheduler
from vlm_stage.engines.paddleocr_vl.scheduling.settings import SchedulerSettings
from vlm_stage.engines.paddleocr_vl.settings import ENGINE, PaddleOcrVlSettings

NO_END = -1
"""In the place of the token that ends a text, which random weights write when they like."""
SETTINGS = PaddleOcrVlSettings()
"""All but the number of threads is as users get it."""


def load_decoder(model: BenchModel, threads: int) -> TimedNetwork:
    """The decoder over paged attention, compiled as the engine has it."""
    plan = plan_for(PaddleOcrVlSettings(threads=threads), "CPU")
    network = read_network(model.converted / DECODER)
    to_paged(network)
    return TimedNetwork(compile_network(network, plan.openvino, properties=plan.decoder_properties()))


def make_decode_loop(model: BenchModel, network: TimedNetwork) -> DecodeLoop:
    """The decode loop, on that decoder."""
    decoder, text = PagedDecoder(cast(Any, network), SETTINGS.kv_memory_mb), model.config.text
    settings = SchedulerSettings(
        block_size=decoder.block_size,
        block_count=decoder.block_count,
        max_sequences=SETTINGS.max_sequences,
        token_budget=SETTINGS.token_budget,
        draft_budget=SETTINGS.draft_tokens,
    )
    inputs = StepInputs(load_embedder(model.converted), TextRotation(text), decoder.block_size)
    return DecodeLoop(Scheduler(settings), inputs, decoder, Sampler(text.vocab_size), text)


def make_reader(
    model: BenchModel, decode_loop: Any, prepare: Callable[[CropRequest], PreparedCrop]
) -> BatchReader:
    """The reader with that decode loop; no token ends a text."""
    vision = cast(Any, NoVision(model.config.text.hidden_size))
    threads = ThreadPoolExecutor(1)
    encoder = CropEncoder(vision, prepare, threads, lambda: None, overlaps=False, row_patches=1)
    return BatchReader(
        StageModel(ENGINE, "bench", "CPU"),
        ModelTokens(model.tokenizer, NO_END, model.tokenizer.find_token(ROW_END)),
        encoder,
        load_embedder(model.converted),
        decode_loop,
        most_open=SETTINGS.max_sequences,
        max_new_tokens=SETTINGS.max_new_tokens,
        draft_tokens=SETTINGS.draft_tokens,
    )
