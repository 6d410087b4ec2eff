"""A checkpoint's chat template, rendered once and for all, so that serving needs no Jinja."""

from collections.abc import Mapping
from pathlib import Path

import msgspec

from arcscribe.errors import ModelMissing
from vlm_stage.convert.render_template import render_template
from vlm_stage.convert.small_files import is_there, read_json, read_small
from vlm_stage.engines.paddleocr_vl.inputs.prompts import IMAGE_TOKEN, ChatTemplate

_BEFORE, _AFTER = "<|begin_of_sentence|>User: <|IMAGE_START|>", "<|IMAGE_END|>"

KNOWN_TEMPLATES: Mapping[str, ChatTemplate] = {
    "1.0": ChatTemplate(_BEFORE, _AFTER, "\nAssistant: "),
    "1.5": ChatTemplate(_BEFORE, _AFTER, "\nAssistant:\n"),
    "1.6": ChatTemplate(_BEFORE, _AFTER, "\nAssistant:\n"),
}
"""By version of the model, for checkpoints that bring none of their own."""

MOST_CHARACTERS = 100_000
"""Of a template; the published ones have 3,000 at most."""

_SENTINEL = "\ue000"
"""Stands for the prompt in rendering: a private character, which no template trims or writes."""


class _Token(msgspec.Struct, frozen=True):
    content: str


_MaybeToken = str | _Token | None


class _NamedTemplate(msgspec.Struct, frozen=True):
    name: str
    template: str


class _TokenizerConfig(msgspec.Struct, frozen=True):
    """Those keys of `tokenizer_config.json` that a template may use, and the template itself."""

    bos_token: _MaybeToken = None
    eos_token: _MaybeToken = None
    unk_token: _MaybeToken = None
    sep_token: _MaybeToken = None
    pad_token: _MaybeToken = None
    cls_token: _MaybeToken = None
    mask_token: _MaybeToken = None
    chat_template: str | list[_NamedTemplate] | None = None


class _TemplateFile(msgspec.Struct, frozen=True):
    chat_template: str


def read_chat_template(folder: Path, version: str = "1.6") -> ChatTemplate:
    """The template that a checkpoint's folder holds, or that of its version where it holds none.

    Looked for where transformers 5.24 does: `chat_template.jinja`, `chat_template.json`,
    `tokenizer_config.json`.

    Raises:
        ModelMissing: a file is damaged, or the template is too long, or fails as in `render_chat_template`.
    """
    config = _read_config(folder)
    source = _template_text(folder, config)
    if source is None:
        return KNOWN_TEMPLATES[version]
    if len(source) > MOST_CHARACTERS:
        raise ModelMissing(
            f"{folder} has a chat template of {len(source):,} characters, over {MOST_CHARACTERS:,}"
        )
    return render_chat_template(source, _names(config))


def render_chat_template(jinja_text: str, special_tokens: Mapping[str, str]) -> ChatTemplate:
    """What a Jinja template puts round an image and the prompt after it, up to where the answer begins.

    Args:
        jinja_text: not trusted; it runs in Jinja's sandbox, in a process with limits.
        special_tokens: by name (`cls_token`, `eos_token`, ...), for templates that use them. Without
            `image_token`, which version 1's template would take for the image with its start and end.

    Raises:
        ModelMissing: as `render_template`; or it does not put one image before one prompt.
    """
    content = [{"type": "image", "image": "image"}, {"type": "text", "text": _SENTINEL}]
    messages = [{"role": "user", "content": content}]
    variables = {**special_tokens, "messages": messages, "add_generation_prompt": True}
    text = render_template(jinja_text, variables)
    before, image, rest = text.partition(IMAGE_TOKEN)
    after, sentinel, end = rest.partition(_SENTINEL)
    if not (image and sentinel) or IMAGE_TOKEN in rest or _SENTINEL in before + end:
        raise ModelMissing("the checkpoint's chat template does not put one image before one prompt")
    return ChatTemplate(before, after, end)


def _read_config(folder: Path) -> _TokenizerConfig:
    path = folder / "tokenizer_config.json"
    return read_json(path, _TokenizerConfig) if is_there(path) else _TokenizerConfig()


def _template_text(folder: Path, config: _TokenizerConfig) -> str | None:
    """The template's source, from the first place that has one."""
    jinja_path, json_path = folder / "chat_template.jinja", folder / "chat_template.json"
    if is_there(jinja_path):
        return _read_text(jinja_path)
    if is_there(json_path):
        return read_json(json_path, _TemplateFile).chat_template
    if isinstance(config.chat_template, list):
        return next((item.template for item in config.chat_template if item.name == "default"), None)
    return config.chat_template


def _names(config: _TokenizerConfig) -> dict[str, str]:
    """The special tokens that are set, by name."""
    fields = {name: getattr(config, name) for name in config.__struct_fields__ if name.endswith("_token")}
    return {
        name: value.content if isinstance(value, _Token) else value
        for name, value in fields.items()
        if isinstance(value, str | _Token)
    }


def _read_text(path: Path) -> str:
    try:
        return read_small(path).decode("utf-8")
    except UnicodeDecodeError as error:
        raise ModelMissing(f"{path} is damaged: {error}") from error
