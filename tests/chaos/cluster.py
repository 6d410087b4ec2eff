"""An orchestrator with several processes of each stage, which a supervisor starts again when they die."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import MappingProxyType

import psutil

from arcscribe.tools.local_service import is_serving
from arcscribe.tools.toml import to_toml
from tests.waiting import wait_until

RESTART_SECONDS = 0.1


class Cluster:
    """The processes, by names such as `vlm-0`; use `running` to make one."""

    def __init__(
        self,
        folder: Path,
        layouts: int,
        vlms: int,
        stages: Mapping[str, object],
        orchestrator: Mapping[str, object],
    ) -> None:
        self._folder = folder
        stage_config = folder / "stage.toml"
        stage_config.write_text(to_toml(stages), encoding="utf-8")
        fake = [sys.executable, "-m", "tests.chaos.fake_stage", "--config", str(stage_config)]
        self.address = f"unix:{folder}/parse.sock"
        self._commands = {
            name: [*fake, "--listen", self._socket(name)]
            for name in (*(f"layout-{i}" for i in range(layouts)), *(f"vlm-{i}" for i in range(vlms)))
        }
        config = folder / "orchestrator.toml"
        places = {"layout": self._stage("layout"), "vlm": self._stage("vlm")}
        config.write_text(to_toml({**orchestrator, **places}), encoding="utf-8")
        self._commands["orchestrator"] = [
            *(sys.executable, "-m", "orchestrator", "--config", str(config), "--listen", self.address)
        ]
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        self._stopping = threading.Event()
        self._supervisor = threading.Thread(target=self._supervise)

    def _socket(self, name: str) -> str:
        return f"unix:{self._folder}/{name}.sock"

    def _stage(self, stage: str) -> dict[str, object]:
        addresses = [self._socket(name) for name in self._commands if name.startswith(stage)]
        return {"address": addresses, "silent_seconds": 1.0, "wait_seconds": 30.0}

    def log(self, name: str) -> str:
        """What a process has logged."""
        return (self._folder / f"{name}.log").read_text(encoding="utf-8")

    @property
    def pid(self) -> int:
        """The orchestrator's process id."""
        return self.processes["orchestrator"].pid

    def page_workers(self) -> list[psutil.Process]:
        """The orchestrator's processes that decode documents."""
        return psutil.Process(self.pid).children()

    def signal(self, name: str, number: signal.Signals) -> None:
        """Sends a signal to one process, if it lives."""
        with suppress(ProcessLookupError):
            self.processes[name].send_signal(number)

    def start(self) -> None:
        """Starts all, and waits until they serve."""
        for name in self._commands:
            self._start(name)
        addresses = [self.address, *map(self._socket, list(self._commands)[:-1])]
        wait_until(lambda: all(map(is_serving, addresses)), 60)
        self._supervisor.start()

    def stop(self) -> int:
        """Ends all; the orchestrator's exit status."""
        self._stopping.set()
        self._supervisor.join()
        orchestrator = self.processes.pop("orchestrator")
        orchestrator.terminate()
        status = orchestrator.wait(90)
        for process in self.processes.values():
            process.send_signal(signal.SIGCONT)
            process.kill()
            process.wait()
        return status

    def _start(self, name: str) -> None:
        environment = os.environ | {"TMPDIR": str(self._temporary)}
        with (self._folder / f"{name}.log").open("ab") as log:
            self.processes[name] = subprocess.Popen(
                self._commands[name], stdout=log, stderr=log, env=environment
            )

    @property
    def _temporary(self) -> Path:
        folder = self._folder / "temporary"
        folder.mkdir(exist_ok=True)
        return folder

    @property
    def leftovers(self) -> list[str]:
        """Temporary files that are there now."""
        return [path.name for path in self._temporary.rglob("*")]

    def _supervise(self) -> None:
        while not self._stopping.wait(RESTART_SECONDS):
            for name, process in tuple(self.processes.items()):
                if process.poll() is not None:
                    self._start(name)


@contextmanager
def running(
    folder: Path,
    *,
    layouts: int = 2,
    vlms: int = 3,
    stages: Mapping[str, object] = MappingProxyType({}),
    **orchestrator: object,
) -> Iterator[Cluster]:
    """A cluster that serves; at the end the orchestrator must have stopped in order.

    `stages` are the settings of each fake stage.
    """
    cluster = Cluster(folder, layouts, vlms, stages, orchestrator)
    try:
        cluster.start()
        yield cluster
    finally:
        assert cluster.stop() == 0
