"""Telling how far the work is."""

from collections.abc import Callable

Report = Callable[[str, float], None]
"""Takes what is done now, and how much of that is done, from 0 to 1."""
