"""How tokens are chosen, against transformers' logits processors."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from vlm_stage.engines.paddleocr_vl.decoding.logits_filters import nucleus, penalise_repetition
from vlm_stage.engines.paddleocr_vl.decoding.sampler import SampledRows, Sampler, SamplingOptions

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

VOCABULARY = 103_424
ENDLESS = {"eos_token_id": None, "pad_token_id": 0, "max_new_tokens": 40}


def _scores(seed: int, spread: float) -> NDArray[np.float32]:
    return np.random.default_rng(seed).standard_normal(VOCABULARY).astype(np.float32) * np.float32(spread)


def _processed(processors: Any, seen: Sequence[int], scores: NDArray[np.float32]) -> NDArray[np.float32]:
    result: NDArray[np.float32] = processors(torch.tensor([seen]), torch.tensor(scores[None]))[0].numpy()
    return result


@pytest.fixture(scope="module")
def model() -> Any:
    """A decoder of the family's kind with random weights, large enough to write varied text."""
    torch.manual_seed(0)
    config = transformers.LlamaConfig(
        vocab_size=300,
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=4,
        initializer_range=0.5,
    )
    return transformers.LlamaForCausalLM(config).eval()


@pytest.mark.parametrize("penalty", [0.8, 1.05, 1.3])
def test_the_repetition_penalty_is_the_same(penalty: float) -> None:
    scores = _scores(1, 3.0)
    seen = [100295] * 50 + np.random.default_rng(2).integers(0, VOCABULARY, 500).tolist() * 2
    expected = _processed(transformers.RepetitionPenaltyLogitsProcessor(penalty), seen, scores)
    penalise_repetition(scores, seen, penalty)
    np.testing.assert_array_max_ulp(scores, expected, maxulp=1)


@pytest.mark.parametrize("spread", [1.0, 3.0, 8.0])
@pytest.mark.parametrize("top_p", [0.1, 0.5, 0.9, 0.99])
def test_top_p_keeps_the_same_tokens(spread: float, top_p: float) -> None:
    scores = _scores(3, spread)
    kept = set(np.flatnonzero(np.isfinite(_processed(transformers.TopPLogitsWarper(top_p), [0], scores))))
    weights = np.exp(scores - scores.max())
    share = weights / weights.sum(dtype=np.float64)
    differ = kept ^ set(nucleus(weights, top_p).tolist())
    # transformers sums in float32, and may differ about tokens at the very edge.
    assert share[list(differ)].sum() < 2e-5


@pytest.mark.parametrize("penalty", [1.0, 1.1, 1.5])
def test_greedy_text_is_that_of_generate(model: Any, penalty: float) -> None:
    prompt = [1, 7, 7, 7, 9]
    expected = model.generate(torch.tensor([prompt]), do_sample=False, repetition_penalty=penalty, **ENDLESS)[
        0
    ].tolist()
    known, options, sampler = list(prompt), SamplingOptions(repetition_penalty=penalty), Sampler(300)
    while len(known) < len(expected):
        with torch.no_grad():
            logits = model(torch.tensor([known])).logits[0, -1:].numpy()
        known += sampler.choose(logits, [SampledRows(options, len(known) - 5, known)]).tokens.tolist()
    assert known == expected


def test_text_drawn_is_distributed_as_that_of_generate(model: Any) -> None:
    """The second token after one prompt, by penalty, temperature and top_p in `generate`'s own order."""
    settings = {"temperature": 1.5, "top_p": 0.8, "repetition_penalty": 1.4}
    prompt, count = [1, 7, 7, 7, 9], 3000
    processors = model._get_logits_processor(
        transformers.GenerationConfig(do_sample=True, top_k=0, **settings), input_ids_seq_length=len(prompt)
    )
    with torch.no_grad():
        logits = model(torch.tensor([prompt])).logits[0, -1:]
    likely = processors(torch.tensor([prompt]), logits).softmax(dim=-1)[0].numpy()
    options = SamplingOptions(seed=4, **settings)
    rows = [SampledRows(options, index, prompt) for index in range(count)]
    drawn = Sampler(300).choose(np.repeat(logits.numpy(), count, axis=0), rows).tokens
    shares = np.bincount(drawn, minlength=300) / count
    assert not shares[likely == 0].any()
    assert (likely > 0).sum() >= 3
    assert np.abs(shares - likely).max() < 0.035
