"""Reading a process's configuration: one TOML file, one frozen struct."""

from pathlib import Path
from typing import Annotated, TypeVar

import msgspec

from arcscribe.errors import InvalidConfig

GraceSeconds = Annotated[float, msgspec.Meta(ge=0, le=86_400)]
"""How long calls in work may take when a process is told to stop: a day at most, for no timer takes infinity.

What is no number is not 0 or more, so msgspec refuses it as well.
"""

SettingsT = TypeVar("SettingsT", bound=msgspec.Struct)


def load_settings(path: Path | None, settings_type: type[SettingsT]) -> SettingsT:
    """The settings in a TOML file; without a file, the defaults.

    Raises:
        InvalidConfig: the file is absent, is not TOML, has an unknown key or a value of the wrong type.
    """
    if path is None:
        return settings_type()
    try:
        return msgspec.toml.decode(path.read_bytes(), type=settings_type)
    except OSError as error:
        raise InvalidConfig(f"{path}: {error.strerror}") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InvalidConfig(f"{path}: {error}") from error
