"""What the processes log of documents: JSON lines with the request id, and nothing that a document says."""

import json
from pathlib import Path

import pytest

from arcscribe.client import Client
from arcscribe.errors import InvalidDocument, PasswordRequired
from arcscribe.events import ParseOptions
from arcscribe.tools.local_service import LocalService
from tests.orchestrator.pdf_files import encrypted_pdf

NAME = 'forged\n{"event":"forged","request_id":"r-1"}\x1b[31m.pdf'
PASSWORD = "hunter2-of-the-caller"
PATIENT_SECONDS = 60.0


def log_of(service: LocalService, stage: str) -> str:
    socket = Path(service.stages[stage].command.address.removeprefix("unix:"))
    return (socket.parent / f"{stage}.log").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (encrypted_pdf("forged", "right"), PasswordRequired),
        (b"", InvalidDocument),
        (b"%PDF-1.7\nforged", InvalidDocument),
    ],
    ids=["encrypted", "empty", "damaged"],
)
def test_a_document_that_is_refused_leaves_a_line_with_its_request_id_and_nothing_of_it(
    service: LocalService, data: bytes, error: type[Exception], request: pytest.FixtureRequest
) -> None:
    request_id = f"of-{request.node.callspec.id}"
    with Client(service.address, timeout_seconds=PATIENT_SECONDS) as client, pytest.raises(error):
        client.parse(data, ParseOptions(password=PASSWORD), name=NAME, request_id=request_id)
    text = log_of(service, "orchestrator")
    lines = [json.loads(line) for line in text.splitlines()]
    (told,) = [line for line in lines if line.get("request_id") == request_id]
    assert told["event"] == "call failed"
    assert all("request_id" in line for line in lines if "method" in line)
    assert not any(secret in text for secret in ("forged", PASSWORD, "\x1b"))
