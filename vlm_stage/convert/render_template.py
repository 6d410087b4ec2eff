"""Rendering a Jinja template that is not trusted, in a process that ends whatever the template does."""

import json
import signal
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

from arcscribe.errors import ModelMissing
from vlm_stage.convert import template_process
from vlm_stage.convert.template_process import Outcome, Rendering

CPU_SECONDS = 10
"""Seconds that a template may compute; the published ones take a hundredth of one."""
_CLOCK_SECONDS = 120.0
"""For a process that neither computes nor ends."""
_SUBJECT = "the checkpoint's chat template"


def render_template(source: str, variables: Mapping[str, Any]) -> str:
    """What a template makes of variables, which must be what JSON can hold.

    Raises:
        ModelMissing: it cannot be rendered, does not end, or takes or gives too much.
    """
    rendering = Rendering(template=source, variables=dict(variables), cpu_seconds=CPU_SECONDS)
    outcome: Outcome = json.loads(_run(json.dumps(rendering).encode()))
    if "wrong" in outcome:
        raise ModelMissing(f"{_SUBJECT} {outcome['wrong']}")
    return outcome["text"]


def _run(rendering: bytes) -> bytes:
    """Raises ModelMissing where the process comes to no end of its own."""
    command = [sys.executable, "-P", "-m", template_process.__name__]
    endless = ModelMissing(f"{_SUBJECT} does not end within {CPU_SECONDS} seconds")
    try:
        done = subprocess.run(
            command, input=rendering, capture_output=True, timeout=_CLOCK_SECONDS, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise endless from error
    if done.returncode == -signal.SIGXCPU:
        raise endless
    if done.returncode:
        raise ModelMissing(
            f"{_SUBJECT} cannot be rendered: its process ended with exit status {done.returncode}"
        )
    return done.stdout
