"""What many tests need: the embedded models, and one running service."""

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from arcscribe.models.store import ModelStore
from arcscribe.tools.engines import DEFAULT_ENGINE, local_settings
from arcscribe.tools.local_service import LocalService

settings.register_profile("any machine", deadline=None)
settings.load_profile("any machine")
"""A machine that does something else for 200 ms, while an example runs, is no failure of the example's."""

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
"""A shell has what it runs in the background ignore Ctrl-C, and so would all that the tests start."""

if sys.platform == "linux" and (worker := os.environ.get("PYTEST_XDIST_WORKER")):
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cores[int(worker.removeprefix("gw")) % len(cores)]})
"""Of several processes that run tests each has a core, so that the threads of their networks do not fight."""

SAMPLES = Path(__file__).parent.parent / "samples" / "documents"


@pytest.fixture(scope="session")
def model_root() -> Path:
    """The model store; the embedded models must have been pulled, since tests ask no network."""
    store = ModelStore()
    absent = [name for name in store.catalog.select(["embedded"]) if not store.has(name)]
    if absent:
        pytest.fail(f"{', '.join(absent)} not in {store.root}; run: arcscribe models pull embedded")
    return store.root


@pytest.fixture(scope="session")
def samples() -> Path:
    """The folder of the project's sample documents."""
    return SAMPLES


@pytest.fixture(scope="session")
def service(model_root: Path) -> Iterator[LocalService]:
    """The three processes with the default engine, shared by tests that do them no harm."""
    with LocalService(local_settings(DEFAULT_ENGINE)) as running:
        yield running
