"""The whole engine against transformers: the same image tokens, the same logits, the same text.

The checkpoints have random weights, and what those write hangs on small leads. So that text can be asked for
token by token, the seeds are such that the likeliest token leads in every step by more than twice what any
logit of that step differs by, which is asserted: no near tie decides. The token that ends a text is the
image's, whose row of the head is zero, so that it never leads and no text ends early; and 256 tokens are
fewer than any loop is cut at.

At full size a difference is counted in parts of the largest logit, which is 5. Float32 gives no more there:
after 160 steps transformers in float32 is 1.0e-4 away from itself in float64, and ours 1.9e-4, by rounding in
45 layers; what differs between the two is 2.0e-4, and 3.9e-4 at most in 256 steps (measured on CPU).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import msgspec
import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from arcscribe.types import Crop, FinishReason
from samples.checkpoints.checkpoint import SIZES, Size, write_checkpoint
from tests.reference.watched_engine import WatchedEngine, watched_engine
from tests.vlm_stage.convert.conversions import FP32, converted
from vlm_stage.engines.engine import Cancel
from vlm_stage.engines.paddleocr_vl.decoding.loop_detector import ROW_LIMITS, TEXT_LIMITS
from vlm_stage.engines.paddleocr_vl.inputs.prompts import Task
from vlm_stage.engines.paddleocr_vl.inputs.rotation import inverse_frequencies
from vlm_stage.engines.paddleocr_vl.inputs.tokenizer import TextTokenizer
from vlm_stage.engines.paddleocr_vl.manifest import TOKENIZER, Manifest, read_manifest
from vlm_stage.engines.paddleocr_vl.model_config import ModelConfig
from vlm_stage.engines.paddleocr_vl.networks.load_networks import load_networks, plan_for
from vlm_stage.engines.paddleocr_vl.settings import PaddleOcrVlSettings
from vlm_stage.verify.decoding import Text, alone
from vlm_stage.verify.pictures import Picture, drawn_pictures
from vlm_stage.verify.prompted import crop_preparer, prompted
from vlm_stage.verify.reading import Reading, crop_of
from vlm_stage.verify.stepper import Stepper, kv_megabytes
from vlm_stage.verify.transformers_reference import TransformersReference

STEPS = 256
TOLERANCE = 1e-4
SEEDS: Mapping[Size, int] = {"toy": 2, "full": 0}

pytestmark = pytest.mark.timeout(7200)  # full size, in float32, in two implementations


def noise(height: int, width: int) -> Picture:
    pixels = np.random.default_rng(height).integers(0, 256, (height, width, 3), dtype=np.uint8)
    return Picture(f"{width} x {height}", pixels, Task.CHART if height > width else Task.SEAL)


PICTURES: Mapping[Size, Sequence[Picture]] = {
    "toy": (*drawn_pictures(), noise(500, 50), noise(30, 400)),
    "full": tuple(picture for picture in drawn_pictures() if picture.name != "column"),
}


@pytest.mark.parametrize("config", SIZES.values(), ids=SIZES)
def test_frequencies_are_those_of_the_reference_to_the_last_bit(config: ModelConfig) -> None:
    for theta, dim in (
        (config.text.rope_theta, config.text.head_dim),
        (config.vision.rope_theta, config.vision.head_dim // 2),
    ):
        exponents = torch.arange(0, dim, 2, dtype=torch.float) / dim
        np.testing.assert_array_equal(inverse_frequencies(theta, dim), (1.0 / theta**exponents).numpy())


@dataclass(frozen=True)
class Parity:
    """A checkpoint of a size, what transformers reads with it, and what it was converted to."""

    size: Size
    folder: Path
    manifest: Manifest
    pictures: Sequence[Picture]
    readings: Sequence[Reading]

    def settings(self, **more: int) -> PaddleOcrVlSettings:
        given = {"model": str(self.folder), "kv_memory_mb": 256, "draft_tokens": 0}
        return msgspec.convert(given | more, PaddleOcrVlSettings)

    def crop(self, number: int, draft: str = "", tokens: int = STEPS) -> Crop:
        """The picture of that number, with the number as its id."""
        crop = crop_of(self.pictures[number])
        return replace(crop, id=number, draft=draft, options=replace(crop.options, max_new_tokens=tokens))

    @property
    def expected(self) -> dict[int, list[int]]:
        """The tokens that transformers gives each picture, by its number."""
        return {number: list(reading.tokens) for number, reading in enumerate(self.readings)}


@pytest.fixture(scope="module", params=["toy", pytest.param("full", marks=pytest.mark.slow)])
def parity(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Parity:
    size: Size = request.param
    root = tmp_path_factory.mktemp(size)
    config = SIZES[size]
    config = msgspec.structs.replace(config, eos_token_id=config.image_token_id)
    write_checkpoint(root / "checkpoint", config=config, seed=SEEDS[size])
    folder = converted(root / "checkpoint", root / "converted", FP32)
    threads = torch.get_num_threads()
    torch.set_num_threads(1 if size == "toy" else threads)  # several threads wait longer than toys compute
    reference = TransformersReference(root / "checkpoint")
    readings = [reference.read(picture, STEPS, end=False) for picture in PICTURES[size]]
    del reference  # two full-size models in float32 are too many
    torch.set_num_threads(threads)
    return Parity(size, folder, read_manifest(folder), PICTURES[size], readings)


@dataclass(frozen=True)
class Computed:
    """What our networks make of the pictures, after the tokens of transformers."""

    image_tokens: Sequence[NDArray[np.float32]]
    logits: Sequence[NDArray[np.float32]]


@pytest.fixture(scope="module")
def computed(parity: Parity) -> Computed:
    config, preparer = parity.manifest.config, crop_preparer(parity.folder, parity.manifest)
    crops = [preparer.prepare(crop_of(picture), picture.prompt) for picture in parity.pictures]
    longest = max(len(crop.prompt.ids) for crop in crops) + STEPS
    plan = plan_for(parity.settings(), "CPU")
    networks = load_networks(parity.folder, config.vision, plan, kv_megabytes(config.text, 1, longest))
    stepper = Stepper(networks.decoder, networks.embedder, config.text, places=1)
    image_tokens, logits = [], []
    for crop, reading in zip(crops, parity.readings, strict=True):
        networks.vision.start([crop.patches])
        image_tokens += networks.vision.collect()
        text = Text(prompted(crop, image_tokens[-1], networks.embedder), reading.tokens)
        logits.append(alone(stepper, text))
    return Computed(image_tokens, logits)


def differences(
    found: Sequence[NDArray[np.float32]], expected: Sequence[NDArray[np.float32]]
) -> NDArray[np.float32]:
    """The largest of each row, of all pictures."""
    apart: NDArray[np.float32] = np.abs(np.concatenate(found) - np.concatenate(expected)).max(axis=1)
    return apart


def test_image_tokens_are_those_of_the_reference(parity: Parity, computed: Computed) -> None:
    expected = [reading.image_tokens for reading in parity.readings]
    assert all(tokens.std() > 0.1 for tokens in expected)
    assert max(differences(computed.image_tokens, expected)) < TOLERANCE


def test_logits_are_those_of_the_reference_and_no_near_tie_decides(
    parity: Parity, computed: Computed
) -> None:
    expected = [reading.logits for reading in parity.readings]
    assert all(logits.shape == (STEPS, parity.manifest.config.text.vocab_size) for logits in expected)
    assert all(logits.std() > 0.1 for logits in expected)
    apart = differences(computed.logits, expected)
    unit = 1.0 if parity.size == "toy" else max(float(np.abs(logits).max()) for logits in expected)
    assert apart.max() < TOLERANCE * unit
    assert max(apart[::STEPS]) < TOLERANCE, "the first step of each text"
    second, first = np.partition(np.concatenate(expected), -2, axis=1)[:, -2:].T
    assert (first - second > 2 * apart).all()


def test_the_texts_depend_on_the_picture_and_are_long(parity: Parity) -> None:
    texts = [reading.tokens for reading in parity.readings]
    assert {len(text) for text in texts} == {STEPS}
    assert min(len(set(text)) for text in texts) > STEPS / 4
    assert len({text[:8] for text in texts}) == len(texts)
    assert min(TEXT_LIMITS.tokens, ROW_LIMITS.tokens) > STEPS


def test_each_text_alone_and_all_in_batches_with_others_that_come_and_go(
    parity: Parity, monkeypatch: pytest.MonkeyPatch
) -> None:
    with watched_engine(parity.settings(), monkeypatch) as engine:
        for number, expected in parity.expected.items():
            assert engine.read(parity.crop(number)) == expected
        assert set(engine.step_sizes) == {1}
        whole = {number: engine.texts[number] for number in parity.expected}
        assert {text.finish_reason for text in whole.values()} == {FinishReason.LENGTH}
        engine.tokens.clear()
        engine.texts.clear()
        run_with_others(engine, parity)
        assert {number: engine.tokens[number] for number in parity.expected} == parity.expected
        assert {number: engine.texts[number].text for number in whole} == {
            number: text.text for number, text in whole.items()
        }
        assert max(engine.step_sizes) > len(parity.expected)


def run_with_others(engine: WatchedEngine, parity: Parity) -> None:
    """Each picture joins some steps after the one before. Between them come others, of which each second ends
    early, and the rest are taken back: while they wait, are encoded, or are written."""
    count, begin = len(parity.pictures), engine.steps
    cancels = {}

    def join(number: int) -> None:
        engine.submit(parity.crop(number), number % 2)

    def join_other(number: int) -> None:
        crop = parity.crop(number % count, tokens=7 if number % 2 else STEPS)
        cancels[number] = engine.submit(replace(crop, id=1000 + number), number % 3)

    for number in range(1, count):
        engine.before_step(begin + 11 * number, partial(join, number))
    for number in range(2 * count):
        joins = begin + 5 + 13 * number
        engine.before_step(joins, partial(join_other, number))
        if number % 2 == 0:
            engine.before_step(joins + 1 + 9 * number, partial(_call, cancels, number))
    join(0)
    engine.wait(2 * count)


def _call(cancels: Mapping[int, Cancel], number: int) -> None:
    cancels[number]()


def test_texts_that_lose_their_kv_blocks_are_written_on_as_they_were(
    parity: Parity, monkeypatch: pytest.MonkeyPatch
) -> None:
    if parity.size == "full":
        pytest.skip("the toy shows it, and each step of the full size takes long")
    with watched_engine(parity.settings(kv_memory_mb=3), monkeypatch) as engine:
        for number in parity.expected:
            engine.submit(parity.crop(number), number)
        engine.wait(len(parity.expected))
        assert engine.tokens == parity.expected
        assert engine.preemptions > 0


def test_drafts_that_are_right_wrong_or_cut_off_change_no_token(
    parity: Parity, monkeypatch: pytest.MonkeyPatch
) -> None:
    if parity.size == "full":
        pytest.skip("the toy shows it, and each step of the full size takes long")
    decode = TextTokenizer.from_file(parity.folder / TOKENIZER).decode
    drafts = {}
    for number, tokens in parity.expected.items():
        wrong = [token for token in tokens if token % (number + 2)]
        drafts[number] = decode(tokens if number == 0 else tokens[:100] if number == 1 else wrong)
    with watched_engine(parity.settings(draft_tokens=16), monkeypatch) as engine:
        for number, draft in drafts.items():
            assert engine.read(parity.crop(number, draft)) == parity.expected[number]
        assert engine.texts[0].draft_tokens > 50
        assert max(engine.step_sizes) > 4
        engine.tokens.clear()
        for number, draft in drafts.items():
            engine.submit(parity.crop(number, draft), number % 2)
        engine.wait(len(drafts))
        assert engine.tokens == parity.expected
