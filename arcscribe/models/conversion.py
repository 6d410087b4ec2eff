"""What a conversion needs, and what it reports while it works.

Its reports are JSON lines from the VLM stage to `arcscribe models convert`.
"""

from importlib import util

import msgspec

from arcscribe.errors import ModelMissing
from arcscribe.models.work import WorkStep

TEMPLATES, INTEGERS = "jinja2", "nncf"
"""The packages that converting needs and serving does not: for every checkpoint, and for INT8 and INT4."""
INSTALL = "pip install '.[convert]'"
"""The command that installs both, in the clone of the repository: no index has the package."""


def lacking_packages(packages: tuple[str, ...] = (TEMPLATES, INTEGERS)) -> tuple[str, ...]:
    """Those of these packages that are not installed."""
    return tuple(name for name in packages if util.find_spec(name) is None)


def check_installed(*packages: str) -> None:
    """Raises ModelMissing where a conversion needs packages that are absent, and says how to get them."""
    if lacking := lacking_packages(packages):
        raise ModelMissing(
            f"this conversion needs {' and '.join(lacking)}; run in the clone: {INSTALL}", command=INSTALL
        )


class Converted(msgspec.Struct, frozen=True, tag="done"):
    """The end: the folder of the converted model, its size, and how many parameters it has."""

    folder: str
    bytes: int
    parameters: int


ConvertEvent = WorkStep | Converted
