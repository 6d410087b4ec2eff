"""One stage as a child process: started, watched, started again when it dies, and stopped."""

import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from arcscribe.errors import ArcscribeError, StageUnavailable
from arcscribe.tools.stage_end import how_it_ended, keep_log
from arcscribe.tools.toml import to_toml

ERROR = "error: "
STOP_SECONDS = 10.0
FIRST_PAUSE_SECONDS = 0.2
LONGEST_PAUSE_SECONDS = 10.0
MOST_RESTARTS_AT_START = 3
STEADY_SECONDS = 60.0
"""A stage that lived so long before it died is started again without a pause."""


@dataclass(frozen=True, slots=True)
class StageCommand:
    """A stage to run: its package, where it listens, and its settings as TOML tables.

    `role` tells two processes of one package apart. `health` is where its health is asked, if not there.
    """

    package: str
    address: str
    settings: Mapping[str, object]
    role: str = ""
    health: str = ""

    @property
    def name(self) -> str:
        """What the process is called."""
        return self.role or self.package


class StageProcess:
    """A child that runs one stage; it stops when this process dies, since its standard input ends then.

    What it logs goes to `folder`/NAME.log, or to this process's standard error stream when `verbose`.
    """

    def __init__(self, command: StageCommand, folder: Path, *, verbose: bool = False) -> None:
        self.command = command
        self.restarts = 0
        self._log = None if verbose else folder / f"{command.name}.log"
        self._config = folder / f"{command.name}.toml"
        self._config.write_text(to_toml(command.settings), encoding="utf-8")
        self._pause = FIRST_PAUSE_SECONDS
        self._not_before = 0.0
        self._forwarded_errors: list[str] = []
        self._child = self._started()

    @property
    def pid(self) -> int:
        return self._child.pid

    @property
    def returncode(self) -> int | None:
        """The exit status, negative for a signal; None while it runs."""
        return self._child.poll()

    def error(self, times: int = 1) -> ArcscribeError:
        """Why it ended, in the words of its own last error line.

        Without one, how it ended, that this was so many times in a row, and where its log is.
        """
        for line in reversed(self._error_lines()):
            # The file is ours and about to go; what is in it comes from settings that the user knows.
            why = line.removeprefix(ERROR).replace(str(self._config), f"settings of {self.command.name}")
            return StageUnavailable(why.strip())
        ended = how_it_ended(self.command.name, self.returncode, times)
        return StageUnavailable(f"{ended}; {keep_log(self._log)}" if self._log else ended)

    @property
    def may_start_again(self) -> bool:
        """Whether it died in its start of no fault of its own, and not so often that it would not help.

        A start that fails by itself has a status, and would fail likewise.
        """
        return self.returncode is not None and self.returncode <= 0 and self.restarts < MOST_RESTARTS_AT_START

    def _error_lines(self) -> list[str]:
        if self._log is None:
            self._forwarder.join(1.0)
            return self._forwarded_errors
        lines = self._log.read_text(encoding="utf-8", errors="replace").splitlines()
        return [line for line in lines if line.startswith(ERROR)]

    def restart_if_dead(self) -> bool:
        """Starts it again if it has died, after a pause that doubles while it keeps dying."""
        if self.returncode is None:
            return False
        now = time.monotonic()
        if self._not_before == 0.0:
            self._not_before = now + self._next_pause(now)
        if now < self._not_before:
            return False
        self._not_before = 0.0
        if self._log is None:
            sys.stderr.write(f"{ERROR}{self.error().message}\n")
            self._forwarded_errors.clear()
        self.restarts += 1
        self._close_pipe()
        self._child = self._started()
        return True

    def ask_to_stop(self) -> None:
        """Asks it to finish what is in work and end."""
        if self._child.poll() is None:
            self._child.terminate()

    def stop(self, seconds: float = STOP_SECONDS) -> None:
        """Asks it to end, if nobody has yet, and kills it after so many seconds."""
        self.ask_to_stop()
        try:
            self._child.wait(seconds)
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.wait()
        self._close_pipe()

    def _close_pipe(self) -> None:
        if self._child.stdin:
            self._child.stdin.close()

    def _next_pause(self, now: float) -> float:
        if now - self._started_at > STEADY_SECONDS:
            self._pause = FIRST_PAUSE_SECONDS
            return 0.0
        pause, self._pause = self._pause, min(2 * self._pause, LONGEST_PAUSE_SECONDS)
        return pause

    def _started(self) -> "subprocess.Popen[bytes]":
        self._started_at = time.monotonic()
        if self._log:
            with self._log.open("ab") as log:
                return self._spawned(log)
        child = self._spawned(subprocess.PIPE)
        self._forwarder = threading.Thread(target=self._forward, args=(child.stderr,), daemon=True)
        self._forwarder.start()
        return child

    def _spawned(self, log: int | IO[bytes]) -> "subprocess.Popen[bytes]":
        # -P: modules that lie in the folder where we were started are none of ours.
        # A session of its own: Ctrl-C reaches this process alone, which then stops the stages in order.
        arguments = ["--config", str(self._config), "--listen", self.command.address, "--exit-with-parent"]
        return subprocess.Popen(
            [sys.executable, "-P", "-m", self.command.package, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=log,
            start_new_session=True,
        )

    def _forward(self, lines: IO[bytes]) -> None:
        """Passes on what the stage logs, but not why it ended: who asks for the `error` will say that."""
        with lines, suppress(OSError, ValueError):
            for line in lines:
                text = line.decode("utf-8", "replace")
                if text.startswith(ERROR):
                    self._forwarded_errors.append(text)
                else:
                    sys.stderr.write(text)
