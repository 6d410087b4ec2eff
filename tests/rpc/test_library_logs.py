"""What libraries say, in the process's own log."""

import json
import logging
import threading
import warnings
from collections.abc import Iterator
from typing import Any

import pytest
import structlog
from hypothesis import given
from hypothesis import strategies as st

from arcscribe.rpc.library_logs import LONGEST, unquoted
from arcscribe.rpc.logs import configure_logs

SECRET = "Party A\nowes\x1b[31m Party B"


@pytest.fixture
def lines(capsys: pytest.CaptureFixture[str]) -> Iterator[Any]:
    """A function that gives what has been logged."""
    handlers, hook = list(logging.getLogger().handlers), threading.excepthook
    configured = structlog.get_config()
    with structlog.contextvars.bound_contextvars(request_id="r-17"):
        configure_logs("test")
        yield lambda: [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    logging.captureWarnings(capture=False)
    logging.getLogger().handlers, threading.excepthook = handlers, hook
    structlog.configure(**configured)
    structlog.contextvars.clear_contextvars()


@given(st.text())
def test_what_is_quoted_is_left_out(text: str) -> None:
    message = unquoted(f"invalid literal for int() with base 10: {text!r}")
    assert message.replace('"', "'") == "invalid literal for int() with base 10: '…'"


def test_bytes_are_left_out_too_and_apostrophes_are_no_quotation_marks() -> None:
    assert unquoted(f"can't read {b'secret'!r} that isn't {'one'!r}") == "can't read b'…' that isn't '…'"


def test_a_message_is_not_longer_than_a_line() -> None:
    assert len(unquoted("x" * 1000)) == LONGEST


def test_a_librarys_warning_is_a_line_with_the_request_id(lines: Any) -> None:
    logging.getLogger("PIL").warning("bad tag %r", SECRET)
    (line,) = lines()
    assert (line["level"], line["event"], line["logger"]) == ("warning", "library", "PIL")
    assert (line["message"], line["request_id"], line["process"]) == ("bad tag '…'", "r-17", "test")


def test_a_warning_of_python_is_a_line(lines: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        logging.captureWarnings(capture=False)
        logging.captureWarnings(capture=True)
        warnings.warn("a picture is large", stacklevel=1)
    (line,) = lines()
    assert line["logger"] == "py.warnings"
    assert "a picture is large" in line["message"]


def test_what_ends_a_thread_is_a_line_without_what_it_quotes(lines: Any) -> None:
    def work() -> None:
        int(SECRET)

    thread = threading.Thread(target=work, name="reader")
    thread.start()
    thread.join()
    (line,) = lines()
    assert (line["event"], line["thread"]) == ("thread failed", "reader")
    assert line["exception"][0]["exc_value"] == "invalid literal for int() with base 10: '…'"


def test_the_whole_chain_of_an_exception_quotes_nothing(lines: Any) -> None:
    try:
        try:
            {"a": 1}[SECRET]
        except KeyError as error:
            error.add_note(SECRET)
            raise ValueError(f"no such key: {SECRET!r}") from error
    except ValueError:
        structlog.get_logger().exception("page failed")
    (line,) = lines()
    assert [stack["exc_value"] for stack in line["exception"]] == ["no such key: '…'", "'…'"]
    assert "Party" not in json.dumps(line["exception"])
