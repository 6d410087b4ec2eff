"""Settings into TOML, for processes that we start. The standard library reads TOML and does not write it."""

from collections.abc import Mapping

from arcscribe.errors import InvalidConfig


def to_toml(settings: Mapping[str, object]) -> str:
    """A TOML document of strings, numbers, booleans, and lists and tables of such.

    Raises:
        InvalidConfig: a value of another kind.
    """
    return "".join(f"{_text(key)} = {_value(value)}\n" for key, value in settings.items())


def _value(value: object) -> str:
    match value:
        case bool():
            return str(value).lower()
        case int() | float():
            return repr(value)
        case str():
            return _text(value)
        case Mapping():
            return "{" + ", ".join(f"{_text(key)} = {_value(item)}" for key, item in value.items()) + "}"
        case list() | tuple():
            return "[" + ", ".join(map(_value, value)) + "]"
        case _:
            raise InvalidConfig(f"a setting cannot be {value!r}")


def _text(text: str) -> str:
    escaped = "".join(
        f"\\u{ord(c):04x}" if c in '"\\' or ord(c) < 0x20 or ord(c) == 0x7F else c for c in str(text)
    )
    return f'"{escaped}"'
