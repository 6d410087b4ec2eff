"""Files of a checkpoint that are no files, lead nowhere, or are too much: refused in one line, at once."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from arcscribe.errors import ModelMissing
from tests.vlm_stage.convert.conversions import FP32, unheard
from vlm_stage.convert.chat_template import read_chat_template
from vlm_stage.convert.convert import convert
from vlm_stage.convert.request import Request
from vlm_stage.convert.small_files import MOST_BYTES, read_small

JSON = ("config.json", "generation_config.json", "preprocessor_config.json", "tokenizer_config.json")
OPTIONAL = ("processor_config.json", "chat_template.jinja", "chat_template.json")
WEIGHTS = "model.safetensors"


def nowhere(path: Path) -> None:
    path.symlink_to("nowhere")


def folder(path: Path) -> None:
    path.mkdir()


def device(path: Path) -> None:
    path.symlink_to("/dev/zero")


MAKERS: dict[Callable[[Path], None], str] = {
    nowhere: "cannot be read: it is a link that leads nowhere",
    folder: "is no regular file",
    device: "is no regular file",
    os.mkfifo: "is no regular file",
}


def refusal(checkpoint: Path) -> str:
    with pytest.raises(ModelMissing) as caught:
        convert(Request(checkpoint, checkpoint.parent / "out", FP32), unheard)
    message = caught.value.message
    assert "\n" not in message
    assert len(message) < 500
    return message


@pytest.mark.parametrize("name", [*JSON, *OPTIONAL, WEIGHTS])
@pytest.mark.parametrize("make", MAKERS)
def test_what_is_no_file_is_neither_waited_for_nor_passed_over(
    make: Callable[[Path], None], name: str, checkpoint: Path
) -> None:
    (checkpoint / "chat_template.jinja").unlink()  # it comes before the other
    (checkpoint / name).unlink(missing_ok=True)
    make(checkpoint / name)
    assert refusal(checkpoint) == f"{checkpoint / name} {MAKERS[make]}"


@pytest.mark.parametrize("content", [b"[" * 100_000, b'{"a":' * 100_000])
@pytest.mark.parametrize("name", [*JSON, "processor_config.json", "chat_template.json", "tokenizer.json"])
def test_json_that_is_nested_too_deeply_is_damaged(name: str, content: bytes, checkpoint: Path) -> None:
    (checkpoint / "chat_template.jinja").unlink()
    (checkpoint / name).write_bytes(content)
    message = refusal(checkpoint)
    assert str(checkpoint) in message
    assert any(words in message for words in ("is damaged", "cannot be followed", "is not a tokenizer"))


def test_so_is_a_header_of_weights(checkpoint: Path) -> None:
    header = b'{"a":' * 100_000
    (checkpoint / WEIGHTS).write_bytes(len(header).to_bytes(8, "little") + header)
    assert "model.safetensors is not a safetensors file, or damaged" in refusal(checkpoint)


def test_a_file_larger_than_any_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    with path.open("wb") as file:
        file.truncate(MOST_BYTES + 1)
    with pytest.raises(ModelMissing, match=r"has 100,000,001 bytes, and this reads no more than 100,000,000"):
        read_small(path)


def test_a_template_longer_than_any_is_not_rendered(tmp_path: Path) -> None:
    (tmp_path / "chat_template.jinja").write_text("<|IMAGE_PLACEHOLDER|>{{ messages[0].content[1].text }}")
    read_chat_template(tmp_path)
    (tmp_path / "chat_template.jinja").write_text("x" * 100_001)
    with pytest.raises(ModelMissing, match="a chat template of 100,001 characters, over 100,000"):
        read_chat_template(tmp_path)
