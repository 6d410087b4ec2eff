"""What little HTML there may be inside text that a model wrote."""

import re

_BREAK = re.compile(r"<br\s?/?>", re.IGNORECASE)
_SCRIPT = re.compile(r"<(su[pb])>([^<>\n]{1,80})</\1>", re.IGNORECASE)


def markup_to_text(text: str) -> str:
    r"""The text with `\n` for `<br>`, and scripts as formulas: `10<sup>5</sup>` is not 105."""
    return scripts_to_formulas(_BREAK.sub("\n", text))


def scripts_to_formulas(text: str) -> str:
    r"""The text with `\(^{5}\)` for `<sup>5</sup>`, and alike for `<sub>`."""
    return _SCRIPT.sub(_formula, text)


def _formula(script: re.Match[str]) -> str:
    sign = "^" if script[1].lower() == "sup" else "_"
    return rf"\({sign}{{{script[2]}}}\)"
