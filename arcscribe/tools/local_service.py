"""The three processes on one machine, on Unix sockets in a private folder, for `parse` and `serve all`."""

import shutil
import tempfile
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from arcscribe.errors import StageUnavailable
from arcscribe.tools.stage_process import StageCommand, StageProcess

START_SECONDS = 120.0
POLL_SECONDS = 0.02
WATCH_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class LocalSettings:
    """What the three processes are told. An empty `address` means a Unix socket for the orchestrator too."""

    address: str = ""
    layout: Mapping[str, object] = field(default_factory=dict)
    vlm: Mapping[str, object] = field(default_factory=dict)
    orchestrator: Mapping[str, object] = field(default_factory=dict)


class LocalService:
    """Starts the three processes, starts again what dies, and stops them all; use it in a `with`."""

    def __init__(self, settings: LocalSettings, *, verbose: bool = False) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="arcscribe-"))
        self._stopping = threading.Event()
        self.address = settings.address or f"unix:{self._folder}/orchestrator.sock"
        commands = _commands(settings, self._folder, self.address)
        self.stages = {
            command.package: StageProcess(command, self._folder, verbose=verbose) for command in commands
        }
        self._watcher = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> "LocalService":
        try:
            self._wait_until_serving()
        except BaseException:
            self.stop()
            raise
        self._watcher.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()

    def stop(self) -> None:
        """Ends all processes, the orchestrator first, and removes the folder."""
        self._stopping.set()
        if self._watcher.is_alive():
            self._watcher.join()
        for stage in reversed(self.stages.values()):
            stage.stop()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _wait_until_serving(self) -> None:
        end = time.monotonic() + START_SECONDS
        waiting = dict(self.stages)
        while waiting:
            for package, stage in tuple(waiting.items()):
                if stage.returncode is not None:
                    raise stage.error()
                if is_serving(stage.command.address):
                    del waiting[package]
            if time.monotonic() > end:
                raise StageUnavailable(f"not ready after {START_SECONDS:g} seconds: {', '.join(waiting)}")
            time.sleep(POLL_SECONDS)

    def _watch(self) -> None:
        while not self._stopping.wait(WATCH_SECONDS):
            for stage in self.stages.values():
                stage.restart_if_dead()


def _commands(settings: LocalSettings, folder: Path, address: str) -> tuple[StageCommand, ...]:
    layout, vlm = f"unix:{folder}/layout.sock", f"unix:{folder}/vlm.sock"
    stages = {"layout": {"address": layout}, "vlm": {"address": vlm}}
    return (
        StageCommand("layout_stage", layout, settings.layout),
        StageCommand("vlm_stage", vlm, settings.vlm),
        StageCommand("orchestrator", address, {**settings.orchestrator, **stages}),
    )


def is_serving(address: str, timeout_seconds: float = 1.0) -> bool:
    """Whether a stage at an address says SERVING to a health check."""
    if address.startswith("unix:") and not Path(address.removeprefix("unix:")).exists():
        return False
    with grpc.insecure_channel(address, options=(("grpc.use_local_subchannel_pool", 1),)) as channel:
        try:
            request = health_pb2.HealthCheckRequest()
            response = health_pb2_grpc.HealthStub(channel).Check(request, timeout=timeout_seconds)
        except grpc.RpcError:
            return False
    return bool(response.status == health_pb2.HealthCheckResponse.SERVING)
