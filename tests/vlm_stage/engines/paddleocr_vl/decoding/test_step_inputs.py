"""A crop's text is the same, bit for bit, whatever is run beside it and however its tokens are run."""

from collections.abc import Sequence

import nncf
import numpy as np
import openvino as ov
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcscribe.types import Crop, FinishReason, RecognizeOptions, RegionKind
from samples.checkpoints.checkpoint import TOY
from samples.checkpoints.token_ids import TOY_IDS
from samples.checkpoints.tokenizer import build_tokenizer
from tests.vlm_stage.engines.paddleocr_vl.even_costs import even_costs
from tests.vlm_stage.engines.paddleocr_vl.toy_weights import toy_weights
from vlm_stage.engines.paddleocr_vl.crop_request import CropRequest
from vlm_stage.engines.paddleocr_vl.decoding.decode_loop import DecodeLoop
from vlm_stage.engines.paddleocr_vl.decoding.generation import Generation, ModelTokens
from vlm_stage.engines.paddleocr_vl.decoding.sampler import Sampler
from vlm_stage.engines.paddleocr_vl.decoding.step_inputs import StepInputs, take_apart
from vlm_stage.engines.paddleocr_vl.graphs.decoder import build_decoder
from vlm_stage.engines.paddleocr_vl.graphs.embeddings import build_embeddings
from vlm_stage.engines.paddleocr_vl.graphs.paged import to_paged
from vlm_stage.engines.paddleocr_vl.inputs.crop_preparer import PreparedCrop
from vlm_stage.engines.paddleocr_vl.inputs.images import Patches
from vlm_stage.engines.paddleocr_vl.inputs.prompts import Prompt, Task
from vlm_stage.engines.paddleocr_vl.inputs.rotation import TextRotation
from vlm_stage.engines.paddleocr_vl.inputs.tokenizer import TextTokenizer
from vlm_stage.engines.paddleocr_vl.networks.embedder import Embedder
from vlm_stage.engines.paddleocr_vl.networks.paged_decoder import PagedDecoder
from vlm_stage.engines.paddleocr_vl.scheduling.scheduler import Scheduler
from vlm_stage.engines.paddleocr_vl.scheduling.sequence import Sequence as TokenSequence
from vlm_stage.engines.paddleocr_vl.scheduling.settings import SchedulerSettings
from vlm_stage.engines.paddleocr_vl.scheduling.step import Chunk

EXACT = {"INFERENCE_PRECISION_HINT": "f32", "KV_CACHE_PRECISION": "f32"}
NO_END = -1
TOKENS = 40
CHEAP = even_costs(0.01)
PROMPTS = (40, 33, 17)


@pytest.fixture(scope="module", params=["fp32", "int8"])
def decoder(request: pytest.FixtureRequest) -> PagedDecoder:
    network = build_decoder(TOY, toy_weights)
    if request.param == "int8":
        network = nncf.compress_weights(network, mode=nncf.CompressWeightsMode.INT8_SYM)
    to_paged(network)
    return PagedDecoder(ov.Core().compile_model(network, "CPU", EXACT), kv_memory_mb=2)


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return Embedder(build_embeddings(TOY, toy_weights))


def generation(number: int, draft: Sequence[int] = ()) -> Generation:
    """A text that nothing but its length ends; its prompt depends on its number."""
    length = PROMPTS[number]
    embeds = np.random.default_rng(number).standard_normal((length, TOY.text.hidden_size), np.float32)
    crop = Crop(number, RegionKind.TEXT, np.zeros((28, 28, 3), np.uint8), options=RecognizeOptions())
    prompt = Prompt(np.zeros(length, np.int64), 0, 0)
    positions = np.tile(np.arange(length), (3, 1))
    prepared = PreparedCrop(Patches(np.zeros((4, 588), np.float32), 2, 2), prompt, positions, 0, tuple(draft))
    tokens = ModelTokens(TextTokenizer(build_tokenizer(TOY.text.vocab_size, TOY_IDS)), NO_END, None)
    return Generation(
        CropRequest(number, None, crop, Task.OCR, print), prepared, embeds, tokens, CHEAP, TOKENS
    )


def written(
    decoder: PagedDecoder, embedder: Embedder, texts: Sequence[Generation], budget: int, blocks: int
) -> tuple[list[tuple[list[int], float | None]], int]:
    """Output and confidence of each text, written together; and how often one was preempted."""
    scheduler = Scheduler(
        SchedulerSettings(decoder.block_size, blocks, max_sequences=4, token_budget=budget, draft_budget=8)
    )
    inputs = StepInputs(embedder, TextRotation(TOY.text), decoder.block_size)
    decode_loop = DecodeLoop(scheduler, inputs, decoder, Sampler(TOY.text.vocab_size), TOY.text)
    for text in texts:
        decode_loop.add(text)
    while not decode_loop.is_idle:
        for _, reason in decode_loop.step():
            assert reason is FinishReason.LENGTH
    return [(text.sequence.output, text.confidence) for text in texts], scheduler.preemptions


def test_a_text_is_the_same_bits_alone_and_beside_others_with_drafts_and_its_prompt_cut(
    decoder: PagedDecoder, embedder: Embedder
) -> None:
    alone = [written(decoder, embedder, [generation(number)], 64, 9)[0][0] for number in range(3)]
    outputs = [output for output, _ in alone]
    wrong = [token if place % 3 else (token + 1) % 500 for place, token in enumerate(outputs[1])]
    for drafts in ([(), (), ()], outputs, [outputs[0], wrong, ()]):
        texts = [generation(number, draft) for number, draft in enumerate(drafts)]
        assert written(decoder, embedder, texts, 64, 9)[0] == alone
    for budget in (4, 9, 16, 39):
        texts = [generation(number) for number in range(3)]
        assert written(decoder, embedder, texts, budget, 9)[0] == alone


def test_a_text_that_was_preempted_is_what_it_was(decoder: PagedDecoder, embedder: Embedder) -> None:
    alone = [written(decoder, embedder, [generation(number)], 64, 9)[0][0] for number in range(3)]
    together, preemptions = written(decoder, embedder, [generation(number) for number in range(3)], 16, 5)
    assert preemptions
    assert [output for output, _ in together] == [output for output, _ in alone]
    for (_, confidence), (_, expected) in zip(together, alone, strict=True):
        assert confidence == pytest.approx(expected, rel=1e-3)


lengths = st.integers(0, 12)


@given(st.integers(2, 12), lengths, st.data())
def test_what_is_taken_apart_is_all_that_was_there(prompt: int, outputs: int, data: st.DataObject) -> None:
    sequence = TokenSequence(0, None, prompt, 99, output=[7] * outputs)
    start = data.draw(st.integers(0, prompt + outputs - 1))
    known = data.draw(st.integers(1, prompt + outputs - start))
    reaches_end = start + known == prompt + outputs
    draft = tuple(data.draw(st.lists(st.just(5), max_size=4))) if reaches_end else ()
    chunk = Chunk(sequence, start, known + len(draft), draft, wants_logits=reaches_end)
    pieces = list(take_apart(chunk))
    places = [place for piece in pieces for place in range(piece.start, piece.end)]
    assert places == list(range(places[0], places[-1] + 1))
    assert {*range(chunk.start, chunk.end)} <= {*places}
    assert len(places) <= chunk.length + 1
    assert sum(piece.logits_rows for piece in pieces) == chunk.logits_rows
    assert all(piece.wants_logits for piece in pieces[len(pieces) - chunk.logits_rows :])
    assert all((piece.length > 1) == (piece.start < prompt) for piece in pieces)
