"""How much memory the KV cache takes."""

import openvino as ov
import pytest

from arcscribe.errors import InvalidConfig
from samples.checkpoints.checkpoint import TOY
from tests.vlm_stage.engines.paddleocr_vl.toy_weights import toy_weights
from vlm_stage.engines.paddleocr_vl.graphs.decoder import build_decoder
from vlm_stage.engines.paddleocr_vl.graphs.paged import to_paged
from vlm_stage.engines.paddleocr_vl.networks import paged_decoder
from vlm_stage.engines.paddleocr_vl.networks.paged_decoder import PagedDecoder

EXACT = {"INFERENCE_PRECISION_HINT": "f32", "KV_CACHE_PRECISION": "f32"}


@pytest.fixture(scope="module")
def compiled() -> ov.CompiledModel:
    network = build_decoder(TOY, toy_weights)
    to_paged(network)
    return ov.Core().compile_model(network, "CPU", EXACT)


@pytest.mark.parametrize("megabytes", [10**12, 10**20])
def test_more_memory_than_there_is_is_told_as_such(compiled: ov.CompiledModel, megabytes: int) -> None:
    with pytest.raises(InvalidConfig, match=f"kv_memory_mb = {megabytes} is more than there is"):
        PagedDecoder(compiled, megabytes)


def test_memory_that_others_have_taken_is_not_asked_for(
    compiled: ov.CompiledModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paged_decoder, "available_memory", lambda: 7_900_000)
    assert PagedDecoder(compiled, 7).block_count > 0
    with pytest.raises(InvalidConfig, match="= 8 is more than there is: 7 MB of memory are free"):
        PagedDecoder(compiled, 8)


def test_a_cache_of_no_block_is_refused(compiled: ov.CompiledModel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paged_decoder, "_block_bytes", lambda _port: 10**6)
    with pytest.raises(InvalidConfig, match="does not hold two blocks"):
        PagedDecoder(compiled, 1)
