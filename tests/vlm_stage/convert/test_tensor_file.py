"""Safetensors files: every number as it was stored, and one clear line for what cannot be read."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from arcscribe.errors import ModelMissing
from samples.checkpoints.safetensors import Dtype, as_bfloat16, write_safetensors
from vlm_stage.convert.tensor_file import read_header

NUMBERS = np.array([0.0, -0.0, 1.0, -2.5, 3.140625, 65504.0, 2.0**-14, -1.0 / 3.0], np.float32)

same_folder = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


def write(path: Path, numbers: NDArray[np.float32], dtype: Dtype = "f32") -> Path:
    write_safetensors(path, {"a": (2, len(numbers) // 2)}, lambda _, __: [numbers], dtype)
    return path


@pytest.mark.parametrize("dtype", ["bf16", "f16", "f32"])
def test_numbers_come_back_as_they_were_stored(dtype: Dtype, tmp_path: Path) -> None:
    tensor = read_header(write(tmp_path / "x", NUMBERS, dtype))["a"]
    stored = {"f32": NUMBERS, "f16": NUMBERS.astype(np.float16).astype(np.float32)}
    stored["bf16"] = (as_bfloat16(NUMBERS).astype(np.uint32) << 16).view(np.float32)
    assert tensor.read().dtype == np.float32
    assert tensor.read().shape == tensor.shape == (2, 4)
    np.testing.assert_array_equal(tensor.read().ravel(), stored[dtype])
    assert np.signbit(tensor.read()[0, 1])


@same_folder
@given(
    number=st.floats(
        width=32, allow_nan=False, allow_infinity=False, max_value=2.0**127, min_value=-(2.0**127)
    )
)
def test_bfloat16_is_the_nearest_of_its_numbers(number: float, tmp_path: Path) -> None:
    exact = np.float32(number)
    found = read_header(write(tmp_path / "x", np.array([number, 0], np.float32), "bf16"))["a"].read()[0, 0]
    bits = np.array([exact]).view(np.uint32) & np.uint32(0xFFFF0000)
    below, above = bits.view(np.float32)[0], (bits + np.uint32(0x10000)).view(np.float32)[0]
    assert abs(float(found) - float(exact)) == min(abs(float(n) - float(exact)) for n in (below, above))


@pytest.mark.parametrize("dtype", ["bf16", "f16", "f32"])
@pytest.mark.parametrize("peak", [-2.5, np.inf, -np.inf, np.nan])
def test_the_peak_tells_what_is_no_number(peak: float, dtype: Dtype, tmp_path: Path) -> None:
    numbers = np.array([0.5, -1.0, peak, 1.0], np.float32)
    tensor = read_header(write(tmp_path / "x", numbers, dtype))
    np.testing.assert_equal(abs(tensor["a"].peak()), abs(peak))


def test_a_tensor_may_be_empty_or_a_single_number(tmp_path: Path) -> None:
    shapes: dict[str, tuple[int, ...]] = {"none": (0, 3), "one": ()}
    write_safetensors(tmp_path / "x", shapes, lambda _, shape: [np.full(shape, 7, np.float32).ravel()], "f32")
    tensors = read_header(tmp_path / "x")
    assert tensors["none"].read().shape == (0, 3)
    assert tensors["none"].peak() == 0
    assert tensors["one"].read() == 7


def test_a_pointer_of_git_lfs_is_told_as_such(tmp_path: Path) -> None:
    text = "version https://git-lfs.github.com/spec/v1\noid sha256:85a479d506a1\nsize 1917255968\n"
    (tmp_path / "model.safetensors").write_text(text)
    with pytest.raises(ModelMissing, match="Git-LFS pointer, not the weights; run `git lfs pull` in"):
        read_header(tmp_path / "model.safetensors")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "not a safetensors file"),
        (b"\x08\0\0", "not a safetensors file"),
        (b"<!DOCTYPE html><html>", "not a safetensors file"),
        (b"\x40\0\0\0\0\0\0\0{}", "cut off: it ends in its header, after 10 bytes"),
        (b"\x02\0\0\0\0\0\0\0[]", "not a safetensors file, or damaged"),
        (b"\x04\0\0\0\0\0\0\0\xff\xfe{}", "not a safetensors file, or damaged"),
    ],
)
def test_what_is_no_such_file_is_refused(content: bytes, words: str, tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(content)
    with pytest.raises(ModelMissing, match=words):
        read_header(tmp_path / "x")


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match="cannot be read: No such file"):
        read_header(tmp_path / "x")


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({"dtype": "F8_E4M3"}, "a is stored as F8_E4M3, and this reads BF16, F16, F32"),
        ({"shape": [3]}, r"the place of a does not fit its shape \(3,\)"),
        ({"shape": [-1, -2]}, "does not fit its shape"),
        ({"data_offsets": [-8, 0]}, "does not fit its shape"),
        ({"data_offsets": [4, 12]}, "cut off: a ends at byte"),
        ({"data_offsets": "x"}, "damaged"),
    ],
)
def test_an_entry_that_cannot_be_is_refused(entry: dict[str, object], words: str, tmp_path: Path) -> None:
    header = json.dumps({"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]} | entry}).encode()
    (tmp_path / "x").write_bytes(len(header).to_bytes(8, "little") + header + bytes(8))
    with pytest.raises(ModelMissing, match=words):
        read_header(tmp_path / "x")


@pytest.mark.parametrize(
    ("places", "words"),
    [
        ({"a": (0, 8), "b": (4, 12)}, "b does not begin where the tensor before it ends"),
        ({"a": (0, 8), "b": (0, 8)}, "b does not begin"),
        ({"a": (0, 8), "b": (12, 20)}, "b does not begin"),
        ({"b": (4, 12)}, "b does not begin"),
        ({"a": (0, 8)}, "12 bytes follow its last tensor"),
    ],
)
def test_tensors_that_do_not_lie_one_behind_the_other_are_refused(
    places: dict[str, tuple[int, int]], words: str, tmp_path: Path
) -> None:
    entries = {name: {"dtype": "F32", "shape": [2], "data_offsets": place} for name, place in places.items()}
    header = json.dumps(entries).encode()
    (tmp_path / "x").write_bytes(len(header).to_bytes(8, "little") + header + bytes(20))
    with pytest.raises(ModelMissing, match=f"is damaged: {words}"):
        read_header(tmp_path / "x")


@same_folder
@given(data=st.data())
def test_a_file_cut_off_anywhere_is_refused(data: st.DataObject, tmp_path: Path) -> None:
    whole = write(tmp_path / "x", NUMBERS).read_bytes()
    (tmp_path / "x").write_bytes(whole[: data.draw(st.integers(0, len(whole) - 1))])
    with pytest.raises(ModelMissing):
        read_header(tmp_path / "x")


@same_folder
@given(data=st.data())
def test_no_spoiled_header_gives_another_error_or_bytes_outside_the_file(
    data: st.DataObject, tmp_path: Path
) -> None:
    content = bytearray(write(tmp_path / "x", NUMBERS).read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    (tmp_path / "x").write_bytes(content)
    try:
        tensors = read_header(tmp_path / "x")
    except ModelMissing:
        return
    for tensor in tensors.values():
        assert tensor.read().size == tensor.count
