"""`python -m vlm_stage.convert.template_process`: renders a template that is not trusted, within limits.

A process of its own, since Jinja's sandbox keeps a template from the system, and not from going on for ever
or filling the memory: loops can be nested, text be doubled, and `9 ** (10 ** 9)` is one operation, which
nothing inside Python interrupts. The kernel ends all of these, also while Jinja compiles, and the conversion
is left to say so.

The standard input is a `Rendering` in JSON, the standard output an `Outcome`.
"""

import json
import resource
import sys
from typing import Any, TypedDict

import jinja2
import jinja2.sandbox

MEMORY_MB = 512
"""Of the process's addresses, of which Python and Jinja take 25 MB."""
MOST_CHARACTERS = 100_000
"""Of what is rendered; the published ones give 60."""
_MOST_TOLD = 500
"""Characters of a complaint, which may be the template's own."""


class Rendering(TypedDict):
    """A template, what it is rendered with, and how long that may compute.

    Other work on the machine uses up nothing of `cpu_seconds`.
    """

    template: str
    variables: dict[str, Any]
    cpu_seconds: int


class Outcome(TypedDict, total=False):
    """What came of it: the text, or what is wrong, as the end of a sentence that begins with the template."""

    text: str
    wrong: str


def main() -> None:
    rendering: Rendering = json.load(sys.stdin)
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_CPU, rendering["cpu_seconds"])
    _limit(resource.RLIMIT_AS, MEMORY_MB * 1_000_000)
    json.dump(_outcome(rendering), sys.stdout)


def _limit(what: int, most: int) -> None:
    """Sets a limit, or leaves a lower one that is there."""
    _, hard = resource.getrlimit(what)
    resource.setrlimit(what, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


def _outcome(rendering: Rendering) -> Outcome:
    try:
        text = _environment().from_string(rendering["template"]).render(rendering["variables"])
        text.encode()  # half of a surrogate pair could not be written to the manifest
    except MemoryError:
        return Outcome(wrong=f"takes more than {MEMORY_MB} MB of memory")
    except Exception as error:  # a template can raise whatever it likes
        return Outcome(wrong=f"cannot be rendered: {str(error)[:_MOST_TOLD]}")
    if len(text) > MOST_CHARACTERS:
        return Outcome(wrong=f"gives {len(text):,} characters, over {MOST_CHARACTERS:,}")
    return Outcome(text=text)


def _environment() -> jinja2.Environment:
    """Jinja as transformers sets it up, without what needs a clock or marks answers for training."""
    environment = jinja2.sandbox.ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
    )
    environment.filters["tojson"] = lambda value: json.dumps(value, ensure_ascii=False)
    environment.globals["raise_exception"] = _raise
    return environment


def _raise(message: str) -> None:
    raise jinja2.TemplateError(message)


if __name__ == "__main__":
    main()
