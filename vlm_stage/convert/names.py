"""The names of tensors: as published, and in transformers' state dict, which this project uses throughout."""

import re

_FORMS = (
    (re.compile(r"^visual\."), "model.visual."),
    (re.compile(r"^mlp_AR\."), "model.projector."),
    (re.compile(r"^model\.(?!(visual|projector|language_model)\.)"), "model.language_model."),
)
"""How the published files (those of the remote code) begin their names, and transformers 5.24 its own."""

_UNUSED = re.compile(r"\.(packing_position_embedding|vision_model\.head)\.")
"""Parts of the published vision model that reading documents does not use, nor transformers load."""


def canonical_name(stored: str) -> str | None:
    """A tensor's name in transformers' state dict, from the name in a file; None for those without use."""
    if _UNUSED.search(stored):
        return None
    for form, ours in _FORMS:
        name, found = form.subn(ours, stored)
        if found:
            return name
    return stored
