"""A process that works for a command: its events, its errors, its end."""

import os
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from arcscribe.errors import ModelMissing
from arcscribe.tools.worker_process import worker_events
from tests.waiting import wait_until

DECODER = msgspec.json.Decoder(dict[str, int])


@pytest.fixture
def modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which a test puts the module that the process runs."""
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    return tmp_path


def test_events_come_one_by_one(modules: Path) -> None:
    (modules / "work.py").write_text(
        "import sys\nfor n in sys.argv[1:3]: print('{\"n\": %s}' % n, flush=True)\n"
    )
    assert list(worker_events("work", ["1", "2"], DECODER)) == [{"n": 1}, {"n": 2}]


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("print('error: old\\nerror: no room\\nbye', file=sys.stderr); sys.exit(1)", r"^no room$"),
        ("raise ValueError('odd')", r"^work ended with exit status 1: ValueError: odd$"),
        ("sys.exit(3)", r"^work ended with exit status 3$"),
        ("os.kill(os.getpid(), 9)", r"^work was killed, most likely since the memory was used up$"),
        ("os.kill(os.getpid(), 11)", r"^work ended with exit status -11$"),
    ],
)
def test_why_it_failed_comes_out_as_a_line(code: str, told: str, modules: Path) -> None:
    (modules / "work.py").write_text(f"import os, sys\nprint('{{}}')\nsys.stdout.flush()\n{code}\n")
    events = worker_events("work", [], DECODER)
    assert next(events) == {}
    with pytest.raises(ModelMissing, match=told):
        next(events)


def test_it_is_told_to_end_and_given_time_where_nobody_listens_any_more(modules: Path) -> None:
    (modules / "work.py").write_text(
        "import os, signal, sys, time, pathlib\n"
        f"def tidy(*_): pathlib.Path({str(modules / 'tidied')!r}).touch(); sys.exit(1)\n"
        "signal.signal(signal.SIGTERM, tidy)\n"
        "print('{\"n\": %d}' % os.getpid(), flush=True)\n"
        "time.sleep(60)\n"
    )
    with closing(worker_events("work", [], DECODER)) as events:
        pid = next(events)["n"]
    assert (modules / "tidied").exists()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_one_that_will_not_end_is_killed(modules: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arcscribe.tools.worker_process.STOP_SECONDS", 0.1)
    (modules / "work.py").write_text(
        "import os, signal, time\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "print('{\"n\": %d}' % os.getpid(), flush=True)\n"
        "time.sleep(60)\n"
    )
    with closing(worker_events("work", [], DECODER)) as events:
        pid = next(events)["n"]
    wait_until(lambda: not Path(f"/proc/{pid}").exists())
