"""Checkpoints with random weights: the same for the same seed, and laid out as asked for."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from samples.checkpoints.checkpoint import TOY, write_checkpoint
from samples.checkpoints.safetensors import write_safetensors
from samples.checkpoints.weights import PIECE, random_weights
from vlm_stage.convert.tensors import HEAD
from vlm_stage.convert.weights import open_weights

NORM = "model.language_model.norm.weight"


def test_the_seed_decides_every_byte(tmp_path: Path) -> None:
    written = []
    for seed in (1, 1, 2):
        write_checkpoint(tmp_path, seed=seed)
        written.append((tmp_path / "model.safetensors").read_bytes())
    first, again, other = written
    assert first == again
    assert len(first) == len(other)
    assert first != other


def test_numbers_depend_on_neither_the_layout_nor_the_other_tensors(tmp_path: Path) -> None:
    small = open_weights(write(tmp_path / "a", 2))
    large = open_weights(write(tmp_path / "b", 3))
    assert small.tensors.keys() < large.tensors.keys()
    for name in small.tensors:
        np.testing.assert_array_equal(small(name), large(name))


def write(folder: Path, layers: int) -> Path:
    config = replace(TOY, text=replace(TOY.text, num_hidden_layers=layers))
    write_checkpoint(folder, config=config, layout="published" if layers == 2 else "transformers")
    return folder


def test_weights_keep_the_size_of_what_they_multiply(tmp_path: Path) -> None:
    write_checkpoint(tmp_path, dtype="f32")
    weights = open_weights(tmp_path)
    rng = np.random.default_rng(0)
    for name in weights.tensors:
        matrix = weights(name)
        if matrix.ndim == 2 and "embed" not in name and name != HEAD:
            out = matrix @ rng.standard_normal((matrix.shape[1], 64))
            assert 0.6 < out.std() < (2.6 if ".q_proj" in name or ".k_proj" in name else 1.4), name
    assert 0.95 < weights(NORM).mean() < 1.05
    assert 0.05 < weights(NORM).std() < 0.15


def test_no_greedy_text_holds_the_image_token(tmp_path: Path) -> None:
    write_checkpoint(tmp_path)
    head = open_weights(tmp_path)(HEAD)
    assert (np.abs(head).max(axis=1) == 0).nonzero()[0].tolist() == [TOY.image_token_id]


def test_the_row_of_the_image_token_is_found_in_whichever_piece_it_is() -> None:
    width = 48
    rows = 3 * PIECE // width
    for token in (0, PIECE // width, rows - 1):
        config = replace(TOY, image_token_id=token)
        pieces = list(random_weights(config, "transformers", 0)(HEAD, (rows, width)))
        assert len(pieces) == 3
        head = np.concatenate(pieces).reshape(rows, width)
        assert (np.abs(head).max(axis=1) == 0).nonzero()[0].tolist() == [token]


def test_pieces_that_do_not_fill_a_tensor_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"a is of shape \(3,\), but its pieces hold 8 bytes"):
        write_safetensors(tmp_path / "x", {"a": (3,)}, lambda _, __: [np.zeros(2, np.float32)], "f32")


def test_the_command_writes_one(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "samples.checkpoints", str(tmp_path / "out"), "--dtype", "f16"]
    shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert shown == f"438,848 parameters in {tmp_path / 'out'}\n"
    assert {tensor.dtype for tensor in open_weights(tmp_path / "out").tensors.values()} == {"F16"}
