"""The processes on one machine, on Unix sockets in a private folder, for `parse` and `serve all`."""

import threading
import time
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from arcscribe.errors import StageUnavailable
from arcscribe.rpc.channel import open_blocking_channel
from arcscribe.tools.private_folder import private_folder
from arcscribe.tools.stage_process import StageCommand, StageProcess

START_SECONDS = 900.0
"""A GPU compiles a VLM at its first start, which may take minutes; a process that dies is noticed at once."""
DRAIN_SECONDS = 65.0
"""A little more than the orchestrator's own default."""
POLL_SECONDS = 0.02
WATCH_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class LocalSettings:
    """What the processes are told. An empty `address` means a Unix socket for the orchestrator too.

    There are three processes; four where `drafts` holds the settings of a draft stage, and two where `vlm` is
    None, for documents that are not read.
    """

    address: str = ""
    layout: Mapping[str, object] = field(default_factory=dict)
    vlm: Mapping[str, object] | None = field(default_factory=dict)
    orchestrator: Mapping[str, object] = field(default_factory=dict)
    drafts: Mapping[str, object] | None = None


class LocalService:
    """Starts the processes, starts again what dies, and stops them all; use it in a `with`.

    With `drain` the orchestrator may finish the documents in work when it is stopped.
    """

    def __init__(self, settings: LocalSettings, *, verbose: bool = False, drain: bool = False) -> None:
        self._verbose = verbose
        self._settings = settings
        self._drain = drain
        self._stopping = threading.Event()
        self._watcher = threading.Thread(target=self._watch, daemon=True)
        self._resources = ExitStack()
        self.stages: dict[str, StageProcess] = {}

    @property
    def address(self) -> str:
        """Where the orchestrator listens."""
        return self.stages["orchestrator"].command.address

    def __enter__(self) -> "LocalService":
        try:
            folder = self._resources.enter_context(private_folder())
            for command in _commands(self._settings, folder):
                self.stages[command.name] = StageProcess(command, folder, verbose=self._verbose)
            self._wait_until_serving()
        except BaseException:
            self.stop()
            raise
        self._watcher.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Ends all processes, the orchestrator first if it is to finish its work, and removes the folder."""
        self._stopping.set()
        if self._watcher.is_alive():
            self._watcher.join()
        stages = list(reversed(self.stages.values()))
        if self._drain and stages:
            stages[0].stop(DRAIN_SECONDS)
        for stage in stages:
            stage.ask_to_stop()
        for stage in stages:
            stage.stop()
        self._resources.close()

    def _wait_until_serving(self) -> None:
        end = time.monotonic() + START_SECONDS
        waiting = dict(self.stages)
        while waiting:
            # Those that serve already too: where the port is busy, it is another service that serves there.
            for name, stage in self.stages.items():
                if stage.returncode is not None:
                    _start_again(stage)
                    waiting[name] = stage
            for name, stage in tuple(waiting.items()):
                if is_serving(stage.command.health or stage.command.address):
                    del waiting[name]
            if time.monotonic() > end:
                raise StageUnavailable(f"not ready after {START_SECONDS:g} seconds: {', '.join(waiting)}")
            time.sleep(POLL_SECONDS)

    def _watch(self) -> None:
        while not self._stopping.wait(WATCH_SECONDS):
            for stage in self.stages.values():
                with suppress(OSError):  # no memory for a process now; there may be in a moment
                    stage.restart_if_dead()


def _start_again(stage: StageProcess) -> None:
    """Raises why a stage ended, where another start would end likewise."""
    if not stage.may_start_again:
        raise stage.error(times=stage.restarts + 1)
    stage.restart_if_dead()


def _commands(settings: LocalSettings, folder: Path) -> tuple[StageCommand, ...]:
    address = settings.address or f"unix:{folder}/orchestrator.sock"
    layout, vlm, drafts = (f"unix:{folder}/{name}.sock" for name in ("layout", "vlm", "drafts"))
    stages: dict[str, object] = {
        "layout": _at(layout, settings.orchestrator, "layout"),
        "vlm": _at(vlm, settings.orchestrator, "vlm"),
    }
    commands = [StageCommand("layout_stage", layout, settings.layout)]
    if settings.vlm is not None:
        commands.append(StageCommand("vlm_stage", vlm, settings.vlm))
    if settings.drafts is not None:
        stages |= {"draft": "pp-ocr", "draft_vlm": _at(drafts, settings.orchestrator, "draft_vlm")}
        commands.append(StageCommand("vlm_stage", drafts, settings.drafts, role="draft_stage"))
    told, health = _probed(settings.orchestrator, f"unix:{folder}/health.sock")
    commands.append(StageCommand("orchestrator", address, {**told, **stages}, health=health))
    return tuple(commands)


def _probed(orchestrator: Mapping[str, object], address: str) -> tuple[Mapping[str, object], str]:
    """Its settings, and where its health can be asked by who has no certificate; empty: where it listens."""
    tls = orchestrator.get("tls")
    if not isinstance(tls, Mapping):
        return orchestrator, ""
    health = str(tls.get("health_listen") or address)
    return {**orchestrator, "tls": {**tls, "health_listen": health}}, health


def _at(address: str, orchestrator: Mapping[str, object], stage: str) -> dict[str, object]:
    """What the orchestrator is told of a stage: its own settings, and where the stage is."""
    table = orchestrator.get(stage, {})
    return {**(table if isinstance(table, Mapping) else {}), "address": address}


def is_serving(address: str, timeout_seconds: float = 1.0) -> bool:
    """Whether a stage at an address says SERVING to a health check."""
    if address.startswith("unix:") and not Path(address.removeprefix("unix:")).exists():
        return False
    with open_blocking_channel(address) as channel:
        try:
            request = health_pb2.HealthCheckRequest()
            response = health_pb2_grpc.HealthStub(channel).Check(request, timeout=timeout_seconds)
        except grpc.RpcError:
            return False
    return bool(response.status == health_pb2.HealthCheckResponse.SERVING)
