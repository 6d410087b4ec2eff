"""`arcscribe serve`: one stage in the command's place, or all three, here with stages that are fakes."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from arcscribe.tools import serve
from arcscribe.tools.local_service import LocalSettings, is_serving
from tests.waiting import wait_until

ROOT = Path(__file__).parents[2]
STAGES = ("layout_stage", "vlm_stage", "orchestrator")


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """In which the stages are fakes, under the names of the real ones."""
    fakes, temporary = tmp_path / "fakes", tmp_path / "tmp"
    fakes.mkdir()
    temporary.mkdir()
    for name in STAGES:
        code = "import sys\nsys.argv[0] = __file__\nfrom tests.rpc.fake_stage import main\nmain()\n"
        (fakes / f"{name}.py").write_text(code)
    path = f"{fakes}{os.pathsep}{ROOT}"
    return {**os.environ, "PYTHONPATH": path, "TMPDIR": str(temporary)}


@contextmanager
def started(environment: dict[str, str], *arguments: str) -> Iterator["subprocess.Popen[str]"]:
    """The command, which a test that fails does not leave running."""
    with run(environment, "-m", "arcscribe.tools", "serve", *arguments) as child:
        yield child


@contextmanager
def run(environment: dict[str, str], *arguments: str) -> Iterator["subprocess.Popen[str]"]:
    command = [sys.executable, *arguments]
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as child:
        try:
            yield child
        finally:
            child.kill()


def refusal(environment: dict[str, str], *arguments: str) -> str:
    """What the command says when it starts nothing."""
    with started(environment, *arguments) as child:
        said = child.communicate(timeout=30)[1]
    assert child.returncode == 1
    return said


@pytest.mark.parametrize("part", ["layout", "vlm", "orchestrator"])
def test_a_stage_takes_the_commands_place(environment: dict[str, str], tmp_path: Path, part: str) -> None:
    address = f"unix:{tmp_path}/it.sock"
    with started(environment, part, "--listen", address) as child:
        wait_until(lambda: is_serving(address))
        assert psutil.Process(child.pid).children() == []
        child.terminate()
        child.communicate(timeout=20)
    assert child.returncode == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_all_three_serve_until_a_signal_and_leave_nothing(
    environment: dict[str, str], tmp_path: Path, number: signal.Signals
) -> None:
    # Fake stages refuse what the real ones are told, so the file tells them nothing.
    address = f"unix:{tmp_path}/it.sock"
    program = (
        "from arcscribe.tools.local_service import LocalSettings\n"
        "from arcscribe.tools.serve import _serve_all\n"
        f"_serve_all(LocalSettings({address!r}))\n"
    )
    with run(environment, "-c", program) as child:
        assert child.stderr is not None
        wait_until(lambda: is_serving(address))
        while f"serving at {address}" not in child.stderr.readline():
            pass
        stages = psutil.Process(child.pid).children()
        assert len(stages) == 3
        child.send_signal(number)
        said = child.communicate(timeout=20)[1]
    assert child.returncode == 0
    assert "Traceback" not in said
    assert [stage for stage in stages if stage.is_running()] == []
    assert list((tmp_path / "tmp").iterdir()) == []


@pytest.mark.parametrize("address", ["127.0.0.1:0", "[::1]:0", "localhost:"])
def test_all_three_need_a_port_that_is_known(
    environment: dict[str, str], tmp_path: Path, address: str
) -> None:
    said = refusal(environment, "all", "--listen", address)
    assert said == f"error: {address} names no port; `serve all` needs one that is known\n"
    config = tmp_path / "all.toml"
    config.write_text(f'listen = "{address}"\n')
    assert refusal(environment, "all", "--config", str(config)) == said


def test_why_a_stage_does_not_start_is_one_line(environment: dict[str, str]) -> None:
    said = refusal(environment, "all", "--listen", "unix:/nowhere/it.sock")
    errors = [line for line in said.splitlines() if not line.startswith("{")]
    assert len(errors) == 1
    assert errors[0].startswith("error: ")


@pytest.mark.parametrize("part", ["layout", "vlm", "orchestrator"])
@pytest.mark.parametrize("to_all", [True, False])
def test_ctrl_c_while_a_stage_loads_its_modules_is_one_line(
    environment: dict[str, str], tmp_path: Path, part: str, to_all: bool
) -> None:
    loading = tmp_path / "loading"
    stage = STAGES[["layout", "vlm", "orchestrator"].index(part)]
    (tmp_path / "fakes" / f"{stage}.py").write_text(
        f"import pathlib, time\npathlib.Path({str(loading)!r}).touch()\ntime.sleep(30)\n"
    )
    command = [sys.executable, "-m", "arcscribe.tools", "serve", part]
    with subprocess.Popen(
        command, env=environment, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as child:
        wait_until(loading.exists)
        (os.killpg if to_all else os.kill)(child.pid, signal.SIGINT)
        said = child.communicate(timeout=20)[1]
    assert (child.returncode, said) == (130, "interrupted\n")


def test_ctrl_c_that_comes_between_the_command_and_its_stage_is_not_lost(
    environment: dict[str, str], tmp_path: Path
) -> None:
    program = (
        "import os, signal\n"
        "from arcscribe.tools import serve\n"
        "become = os.execv\n"
        "os.execv = lambda *command: (os.kill(os.getpid(), signal.SIGINT), become(*command))\n"
        f"serve._become('layout_stage', None, 'unix:{tmp_path}/it.sock')\n"
    )
    with run(environment, "-c", program) as child:
        said = child.communicate(timeout=20)[1]
    given_to_a_thread = (-signal.SIGINT, "")
    assert (child.returncode, said) in [(130, "interrupted\n"), given_to_a_thread]


def test_the_commands_models_replace_those_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[LocalSettings] = []
    monkeypatch.setattr(serve, "_serve_all", told.append)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "layout").mkdir()
    config = tmp_path / "all.toml"
    config.write_text('[vlm.paddleocr_vl]\nmodel = "of-the-file"\nmax_new_tokens = 9\n')
    serve.serve(serve.Part.ALL, config, model="mine", layout_model="layout")
    (settings,) = told
    assert settings.layout["model"] == str(tmp_path / "layout")
    assert settings.vlm == {
        "engine": "paddleocr-vl",
        "paddleocr_vl": {"model": "mine", "max_new_tokens": 9},
    }
