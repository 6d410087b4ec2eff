"""How a stage's process ended, in words, and its log, which outlives the folder that it was written to."""

import shutil
import signal
from pathlib import Path

import platformdirs


def how_it_ended(name: str, status: int | None, times: int = 1) -> str:
    """What became of a process; `status` is negative for a signal, as in `subprocess`."""
    often = f" {times} times in a row" if times > 1 else ""
    if status is None or status >= 0:
        return f"{name} ended with exit status {status}{often}"
    why = ", perhaps since the memory was used up" if status == -signal.SIGKILL else ""
    return f"{name} was killed by {_signal(-status)}{often}{why}"


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def keep_log(log: Path) -> str:
    """Copies a log to the folder for this user's logs, in place of the last one, and says where it is."""
    if not log.stat().st_size:
        return "its log is empty"
    kept = platformdirs.user_log_path("arcscribe", appauthor=False) / log.name
    try:
        kept.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(log, kept)
    except OSError:
        return "its log, which --verbose shows, may tell why"
    return f"its log is {kept}"
