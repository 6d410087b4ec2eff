"""Chat templates that give what the published ones give: Jinja, one picture and one prompt from the user."""

_TEMPLATE = """\
{%- if cls_token is not defined -%}{%- set cls_token = "<|begin_of_sentence|>" -%}{%- endif -%}
{%- if add_generation_prompt is not defined -%}{%- set add_generation_prompt = true -%}{%- endif -%}
{{- cls_token -}}
{%- for turn in messages -%}
  {{- "User: " if turn["role"] == "user" else "ANSWER" if turn["role"] == "assistant" -}}
  {%- for part in turn["content"] if part["type"] == "image" -%}
    {{- "<|IMAGE_START|><|IMAGE_PLACEHOLDER|><|IMAGE_END|>" -}}
  {%- endfor -%}
  {%- for part in turn["content"] if part["type"] == "text" -%}
    {{- part["text"] -}}
  {%- endfor -%}
  {{- eos_token if turn["role"] == "assistant" else "\\n" -}}
{%- endfor -%}
{%- if add_generation_prompt -%}{{- "ANSWER" -}}{%- endif -%}
"""

CHAT_TEMPLATE = _TEMPLATE.replace("ANSWER", "Assistant:\\n")
"""Of versions 1.5 and 1.6."""

CHAT_TEMPLATE_1 = _TEMPLATE.replace("ANSWER", "Assistant: ")
"""Of version 1."""
