"""A pull that is killed or interrupted while bytes come in."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from arcscribe.errors import ModelMissing
from arcscribe.models import ModelStore
from tests.models.builders import catalog, hub_model, pinned
from tests.models.fake_hub import FakeHub
from tests.waiting import wait_until

PULL = """
import sys
from pathlib import Path
from arcscribe.models import ModelStore
from arcscribe.tools.errors import one_line_errors
from tests.models.builders import catalog, hub_model
from arcscribe.models import ModelFile

with one_line_errors():
    file = ModelFile("net.bin", "", int(sys.argv[2]), sys.argv[3])
    ModelStore(Path(sys.argv[1]), catalog(net=hub_model(file))).pull(["net"])
"""
PROJECT = Path(__file__).parents[2]


@pytest.mark.parametrize("signal_number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("share", [0.0, 0.4, 0.999])
def test_a_pull_that_dies_leaves_nothing_that_passes(
    tmp_path: Path, hub: FakeHub, share: float, signal_number: signal.Signals
) -> None:
    content = hub.files["net.bin"]
    file = pinned("net.bin", content)
    hub.stall_at = int(len(content) * share)
    command = [sys.executable, "-c", PULL, str(tmp_path), str(file.bytes), file.sha256]
    with subprocess.Popen(command, cwd=PROJECT, env=dict(os.environ), stderr=subprocess.PIPE) as process:
        _wait_for_bytes(tmp_path / "net", hub)
        process.send_signal(signal_number)
        _, complaint = process.communicate(timeout=20)
    assert b"Traceback" not in complaint
    assert process.returncode == (130 if signal_number is signal.SIGINT else -signal_number)

    store = ModelStore(tmp_path, catalog(net=hub_model(file)))
    assert not (tmp_path / "net" / "net.bin").exists()
    with pytest.raises(ModelMissing, match="is missing"):
        store.path("net", "net.bin")

    hub.stall_at = -1
    assert store.pull(["net"]) == ("net",)
    assert store.path("net", "net.bin").read_bytes() == content
    assert [path for path in (tmp_path / "net").iterdir() if path.suffix == ".part"] == []


def _wait_for_bytes(folder: Path, hub: FakeHub) -> None:
    wait_until(lambda: bool(hub.requests) and any(folder.glob(".*.part")), 30)
    time.sleep(0.1)  # as far as the hub goes before it stalls
