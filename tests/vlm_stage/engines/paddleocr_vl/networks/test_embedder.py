"""Embeddings are looked up as the network would."""

from pathlib import Path

import nncf
import numpy as np
import openvino as ov
import pytest

from arcscribe.errors import ModelMissing
from arcscribe.inference.openvino import read_network
from samples.checkpoints.checkpoint import TOY
from tests.vlm_stage.engines.paddleocr_vl.toy_weights import toy_weights
from vlm_stage.engines.paddleocr_vl.graphs.decoder import build_decoder
from vlm_stage.engines.paddleocr_vl.graphs.embeddings import build_embeddings
from vlm_stage.engines.paddleocr_vl.networks.embedder import Embedder

IDS = [3, 500, 3, 0, 511]


@pytest.mark.parametrize("precision", ["fp32", "fp16", "int8"])
def test_rows_are_those_that_the_network_gives(precision: str, tmp_path: Path) -> None:
    network = build_embeddings(TOY, toy_weights)
    if precision == "int8":
        network = nncf.compress_weights(network, mode=nncf.CompressWeightsMode.INT8_SYM)
    ov.save_model(network, tmp_path / "embeddings.xml", compress_to_fp16=precision == "fp16")
    compiled = ov.Core().compile_model(
        tmp_path / "embeddings.xml", "CPU", {"INFERENCE_PRECISION_HINT": "f32"}
    )
    found = Embedder(read_network(tmp_path / "embeddings.xml")).embed(IDS)
    assert found.dtype == np.float32
    assert (found == compiled(np.array([IDS]))[0][0]).all()


def test_another_network_is_no_table() -> None:
    with pytest.raises(ModelMissing, match="not one table"):
        Embedder(build_decoder(TOY, toy_weights))
