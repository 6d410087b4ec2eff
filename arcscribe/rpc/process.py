"""What the `__main__` of every stage does: read command line and settings, run, and fail in one line."""

import argparse
import asyncio
import os
import signal
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Generic

import structlog

from arcscribe.config import SettingsT, load_settings
from arcscribe.errors import ArcscribeError
from arcscribe.memory import give_back_large_blocks
from arcscribe.rpc.logs import configure_logs

FAILED = 1
MOST_TOLD = 300
"""Characters of an unforeseen error that are told in its line."""

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class ProcessArguments(Generic[SettingsT]):
    """What a stage was started with. `listen` replaces the settings' own address where it is given."""

    settings: SettingsT
    listen: str
    exit_with_parent: bool


def run_process(
    name: str, settings_type: type[SettingsT], run: Callable[[ProcessArguments[SettingsT]], Awaitable[None]]
) -> int:
    """Runs a stage until it is told to stop; the exit status is 0 after an orderly stop.

    An `ArcscribeError` becomes one line, `error: …`, on the standard error stream, and so does what nobody
    foresaw, of which the log tells the rest. After an orderly stop the process ends at once: a thread that
    still loads or infers cannot be interrupted, and nobody waits for it.
    """
    arguments = _parser(name).parse_args()
    configure_logs(name, arguments.log_level)
    give_back_large_blocks()
    try:
        settings = load_settings(arguments.config, settings_type)
        asyncio.run(_run(run(ProcessArguments(settings, arguments.listen, arguments.exit_with_parent))))
    except ArcscribeError as error:
        sys.stderr.write(f"error: {' '.join(error.message.split())}\n")
    except KeyboardInterrupt:  # before the server could ask to be told of it
        return 128 + signal.SIGINT
    except Exception as error:
        log.exception("failed")
        what = " ".join(str(error).split())[:MOST_TOLD]
        sys.stderr.write(f"error: {name} failed: {type(error).__name__}: {what}\n")
    return FAILED


async def _run(awaitable: Awaitable[None]) -> None:
    await awaitable
    with suppress(OSError):
        sys.stderr.flush()
    os._exit(0)


def _parser(name: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=name)
    parser.add_argument("--config", type=Path, help="a TOML file; without one, the defaults")
    parser.add_argument("--listen", default="", help="host:port or unix:PATH, in place of the file's address")
    parser.add_argument("--log-level", default="info", choices=["debug", "info", "warning", "error"])
    parser.add_argument(
        "--exit-with-parent", action="store_true", help="stop when the standard input ends, as it does then"
    )
    return parser
