"""The networks against themselves: one step or many, alone or together, the numbers are the same."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import openvino as ov
import pytest
from numpy.typing import NDArray

from samples.checkpoints.checkpoint import TOY
from tests.vlm_stage.engines.paddleocr_vl.toy_weights import toy_weights
from vlm_stage.engines.paddleocr_vl.graphs.decoder import build_decoder
from vlm_stage.engines.paddleocr_vl.graphs.embeddings import build_embeddings
from vlm_stage.engines.paddleocr_vl.graphs.paged import to_paged
from vlm_stage.engines.paddleocr_vl.graphs.vision import build_vision
from vlm_stage.engines.paddleocr_vl.inputs.images import Patches
from vlm_stage.engines.paddleocr_vl.inputs.rotation import TextRotation
from vlm_stage.engines.paddleocr_vl.networks.flat_batch import FlatBatch
from vlm_stage.engines.paddleocr_vl.networks.packing import pack, unpack
from vlm_stage.engines.paddleocr_vl.networks.paged_decoder import DecoderInputs, PagedDecoder

EXACT = {"INFERENCE_PRECISION_HINT": "f32", "KV_CACHE_PRECISION": "f32"}
LENGTH = 50
TOLERANCE = 1e-4


def compiled(model: ov.Model) -> ov.CompiledModel:
    return ov.Core().compile_model(model, "CPU", EXACT)


@dataclass(frozen=True)
class Text:
    """A text's embeddings and positions."""

    embeds: NDArray[np.float32]
    positions: NDArray[np.int64]


@pytest.fixture(scope="module")
def texts() -> list[Text]:
    rng = np.random.default_rng(5)
    found = []
    for _ in range(3):
        positions = np.tile(np.arange(LENGTH), (3, 1))
        positions[1:, 10:30] = rng.integers(10, 20, (2, 20))
        found.append(Text(rng.standard_normal((LENGTH, TOY.text.hidden_size), np.float32), positions))
    return found


@pytest.fixture(scope="module")
def expected(texts: list[Text]) -> list[NDArray[np.float32]]:
    """The logits of each text, all positions in one step of the stateful network."""
    request = compiled(build_decoder(TOY, toy_weights)).create_infer_request()
    return [stateful(request, text, [(0, LENGTH)]) for text in texts]


def stateful(request: Any, text: Text, spans: Sequence[tuple[int, int]]) -> NDArray[np.float32]:
    request.reset_state()
    logits = []
    for start, end in spans:
        inputs = {
            "inputs_embeds": text.embeds[None, start:end],
            "position_ids": text.positions[:, None, start:end],
            "attention_mask": np.ones((1, end), np.int64),
            "beam_idx": np.zeros(1, np.int32),
            "logits_idx": np.arange(end - start),
        }
        logits.append(request.infer(inputs)["logits"].copy())
    return np.concatenate(logits)


def test_the_stateful_decoder_says_the_same_in_many_steps_as_in_one(
    texts: list[Text], expected: list[NDArray[np.float32]]
) -> None:
    request = compiled(build_decoder(TOY, toy_weights)).create_infer_request()
    steps = [(0, 20), (20, 21), (21, 22), (22, LENGTH)]
    for text, logits in zip(texts, expected, strict=True):
        assert np.abs(stateful(request, text, steps) - logits).max() < TOLERANCE


@pytest.fixture(scope="module")
def paged() -> PagedDecoder:
    model = build_decoder(TOY, toy_weights)
    to_paged(model)
    return PagedDecoder(compiled(model), kv_memory_mb=2)


TABLES = [[7, 3], [0, 9], [4, 1]]
"""The KV blocks of each text, in no order, since a sequence takes what is free."""


def step(
    paged: PagedDecoder, texts: list[Text], spans: dict[int, tuple[int, int]]
) -> dict[int, NDArray[np.float32]]:
    """The logits of these spans of positions, by text, all run at once."""
    size = paged.block_size
    lengths = [end - start for start, end in spans.values()]
    ends = [0, *np.cumsum(lengths)]
    tables = [TABLES[text][: -(-end // size)] for text, (_, end) in spans.items()]
    batch = FlatBatch(
        past_lens=np.array([start for start, _ in spans.values()], np.int32),
        subsequence_begins=np.array(ends, np.int32),
        block_indices=np.concatenate(tables).astype(np.int32),
        block_indices_begins=np.array([0, *np.cumsum(list(map(len, tables)))], np.int32),
        max_context_len=max(end for _, end in spans.values()),
        logits_rows=np.arange(sum(lengths)),
    )
    embeds = np.concatenate([texts[text].embeds[start:end] for text, (start, end) in spans.items()])
    positions = np.concatenate(
        [texts[text].positions[:, start:end] for text, (start, end) in spans.items()], 1
    )
    rotation = TextRotation(TOY.text).at(positions)
    outputs = paged.run(DecoderInputs(embeds, rotation, batch, np.arange(sum(lengths))))
    assert (outputs.tokens == outputs.logits.argmax(axis=1)).all()
    shares = np.exp(outputs.logits - outputs.logits.max(axis=1, keepdims=True))
    assert np.allclose(outputs.probabilities, 1 / shares.sum(axis=1), atol=1e-6)
    return {
        text: np.array(part) for text, part in zip(spans, np.split(outputs.logits, ends[1:-1]), strict=True)
    }


def test_paged_steps_of_several_texts_say_what_each_says_alone(
    paged: PagedDecoder, texts: list[Text], expected: list[NDArray[np.float32]]
) -> None:
    steps = [
        {0: (0, 33)},
        {0: (33, 34), 1: (0, 20)},
        {2: (0, 7), 1: (20, 41), 0: (34, 35)},
        {1: (41, 42), 0: (35, LENGTH), 2: (7, LENGTH)},
        {1: (42, LENGTH)},
    ]
    for spans in steps:
        for text, logits in step(paged, texts, spans).items():
            assert np.abs(logits - expected[text][slice(*spans[text])]).max() < TOLERANCE


def test_positions_that_are_rolled_back_leave_no_trace(
    paged: PagedDecoder, texts: list[Text], expected: list[NDArray[np.float32]]
) -> None:
    wrong = [Text(-text.embeds, text.positions) for text in texts]
    step(paged, texts, {0: (0, 20), 1: (0, 31)})
    step(paged, wrong, {0: (20, 36), 1: (31, 40)})
    for text, logits in step(paged, texts, {0: (20, LENGTH), 1: (31, LENGTH)}).items():
        start = 20 if text == 0 else 31
        assert np.abs(logits - expected[text][start:]).max() < TOLERANCE


def crop(rows: int, columns: int, seed: int) -> Patches:
    values = np.random.default_rng(seed).standard_normal((rows * columns, 588), np.float32)
    return Patches(values, rows, columns)


def test_crops_in_one_row_are_blind_to_each_other_and_to_padding() -> None:
    network = compiled(build_vision(TOY, toy_weights))
    crops = [crop(4, 6, 0), crop(2, 10, 1), crop(6, 6, 2)]
    alone = [network(pack([one], TOY.vision).arrays)[0][0] for one in crops]
    packed = pack(crops, TOY.vision, [128])
    together = unpack(network(packed.arrays)[0][0], packed.sizes)
    for one, other in zip(alone, together, strict=True):
        assert np.abs(one - other).max() < TOLERANCE
    assert np.abs(alone[0]).max() > 1


def test_the_place_of_a_patch_matters() -> None:
    network = compiled(build_vision(TOY, toy_weights))
    values = crop(4, 6, 0).values
    wide, tall = Patches(values, 4, 6), Patches(values, 6, 4)
    difference = network(pack([wide], TOY.vision).arrays)[0] - network(pack([tall], TOY.vision).arrays)[0]
    assert np.abs(difference).max() > 0.01


def test_embeddings_are_rows_of_the_table() -> None:
    network = compiled(build_embeddings(TOY, toy_weights))
    table = toy_weights("model.language_model.embed_tokens.weight")
    ids = np.array([[3, 500, 3]])
    assert (network({"input_ids": ids})[0] == table[ids]).all()
