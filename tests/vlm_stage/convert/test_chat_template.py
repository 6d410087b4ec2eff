import json
from pathlib import Path

import pytest

from arcscribe.errors import ModelMissing
from samples.checkpoints.chat_templates import CHAT_TEMPLATE, CHAT_TEMPLATE_1
from vlm_stage.convert.chat_template import KNOWN_TEMPLATES, read_chat_template, render_chat_template
from vlm_stage.engines.paddleocr_vl.inputs.prompts import ChatTemplate

PLAIN = "{{ messages[0]['content'][1]['text'] }}"
IMAGE = "<|IMAGE_PLACEHOLDER|>"


@pytest.mark.parametrize(("source", "version"), [(CHAT_TEMPLATE, "1.5"), (CHAT_TEMPLATE_1, "1.0")])
def test_the_templates_of_all_versions_are_known(source: str, version: str) -> None:
    assert render_chat_template(source, {}) == KNOWN_TEMPLATES[version]


def test_version_1_answers_on_the_same_line() -> None:
    assert KNOWN_TEMPLATES["1.0"].after_prompt == "\nAssistant: "
    assert KNOWN_TEMPLATES["1.6"] == ChatTemplate(
        "<|begin_of_sentence|>User: <|IMAGE_START|>", "<|IMAGE_END|>", "\nAssistant:\n"
    )


def test_special_tokens_come_from_the_checkpoint() -> None:
    template = render_chat_template(CHAT_TEMPLATE, {"cls_token": "<start>"})
    assert template.before_image == "<start>User: <|IMAGE_START|>"


def test_blocks_leave_no_white_space_as_in_transformers() -> None:
    source = f"a\n  {{% if true %}}\n{IMAGE}\n  {{% endif %}}\n{PLAIN}\n\n"
    assert render_chat_template(source, {}) == ChatTemplate("a\n", "\n", "\n")


@pytest.mark.parametrize(
    "source",
    [
        "{{ messages",
        "{{ raise_exception('no images') }}",
        "{{ messages.append(1) }}",
        "{{ ''.__class__.__mro__ }}",
        "{{ 1 / 0 }}",
        "{{ missing.attribute }}",
        r"{{ '\ud800' }}",
        "{% for i in range(10**9) %}{% endfor %}",
        "{% macro again() %}{{ again() }}{% endmacro %}{{ again() }}",
        "{% if 1 %}" * 5000 + "{% endif %}" * 5000,
    ],
)
def test_a_template_that_fails_is_a_damaged_checkpoint(source: str) -> None:
    with pytest.raises(ModelMissing, match="cannot be rendered"):
        render_chat_template(source, {})


@pytest.mark.parametrize(
    "source",
    [
        "{% for i in range(10**5) %}{% for j in range(10**5) %}{% endfor %}{% endfor %}",
        "{{ 9 ** (10 ** 9) % 7 }}",
    ],
)
def test_a_template_that_does_not_end_is_ended(source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vlm_stage.convert.render_template.CPU_SECONDS", 1)
    with pytest.raises(ModelMissing, match="chat template does not end within 1 seconds"):
        render_chat_template(source, {})


@pytest.mark.parametrize(
    "source",
    [
        "{{ 'a' * 10**10 }}",
        "{% set all = namespace(x='a') %}{% for i in range(99) %}{% set all.x = all.x * 2 %}{% endfor %}",
    ],
)
def test_a_template_that_fills_the_memory_is_ended(source: str) -> None:
    with pytest.raises(ModelMissing, match="chat template takes more than 512 MB of memory"):
        render_chat_template(source, {})


def test_a_template_that_writes_too_much_is_refused() -> None:
    with pytest.raises(ModelMissing, match="chat template gives 1,000,000 characters, over 100,000"):
        render_chat_template("{{ 'a' * 10**6 }}", {})


def test_a_complaint_of_a_template_is_cut_short() -> None:
    with pytest.raises(ModelMissing, match="cannot be rendered: aaa") as caught:
        render_chat_template("{{ raise_exception('a' * 10**6) }}", {})
    assert len(str(caught.value)) < 1000


@pytest.mark.parametrize(
    "source", ["", PLAIN, IMAGE, f"{PLAIN}{IMAGE}", f"{IMAGE}{PLAIN}{IMAGE}", f"{IMAGE}{PLAIN}{PLAIN}"]
)
def test_a_template_that_is_not_one_image_and_one_prompt_is_refused(source: str) -> None:
    with pytest.raises(ModelMissing, match="one image before one prompt"):
        render_chat_template(source, {})


def write(path: Path, content: object) -> None:
    path.write_text(content if isinstance(content, str) else json.dumps(content))


def test_a_template_is_looked_for_in_three_places(tmp_path: Path) -> None:
    assert read_chat_template(tmp_path, "1.0") == KNOWN_TEMPLATES["1.0"]
    write(tmp_path / "tokenizer_config.json", {"chat_template": f"1{IMAGE}{PLAIN}", "other": 1})
    assert read_chat_template(tmp_path).before_image == "1"
    write(tmp_path / "chat_template.json", {"chat_template": f"2{IMAGE}{PLAIN}"})
    assert read_chat_template(tmp_path).before_image == "2"
    write(tmp_path / "chat_template.jinja", f"3{IMAGE}{PLAIN}")
    assert read_chat_template(tmp_path).before_image == "3"


def test_of_several_templates_the_default_one_counts(tmp_path: Path) -> None:
    named = [{"name": "tools", "template": "x"}, {"name": "default", "template": f"1{IMAGE}{PLAIN}"}]
    write(tmp_path / "tokenizer_config.json", {"chat_template": named})
    assert read_chat_template(tmp_path).before_image == "1"


def test_tokens_of_the_configuration_are_given_to_the_template(tmp_path: Path) -> None:
    write(
        tmp_path / "chat_template.jinja",
        f"{{{{ bos_token }}}}{{{{ cls_token }}}}{IMAGE}{PLAIN}{{{{ sep_token }}}}",
    )
    write(
        tmp_path / "tokenizer_config.json",
        {"bos_token": {"content": "<s>", "lstrip": False}, "cls_token": "<c>", "sep_token": None},
    )
    assert read_chat_template(tmp_path) == ChatTemplate("<s><c>", "", "")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("tokenizer_config.json", b"{"),
        ("tokenizer_config.json", b'{"bos_token": 3}'),
        ("chat_template.json", b"version https://git-lfs.github.com/spec/v1"),
        ("chat_template.json", b"{}"),
        ("chat_template.jinja", b"\xff\xfe"),
    ],
)
def test_a_damaged_file_is_named(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ModelMissing, match=name):
        read_chat_template(tmp_path)
