"""`arcscribe parse --server` where the service wants a certificate and a token."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import cv2
import numpy as np

from arcscribe.rpc.tokens import hash_of
from arcscribe.tools.local_service import LocalService, is_serving
from arcscribe.tools.toml import to_toml
from tests.certificates import Authority
from tests.e2e.command import run
from tests.waiting import wait_until

TOKEN = "t0ken-of-the-indexer"


@contextmanager
def orchestrator(service: LocalService, authority: Authority, folder: Path) -> Iterator[str]:
    """The address of one more orchestrator before the stages of a service, for who has both."""
    files = authority.issue()
    settings = {
        "listen": "127.0.0.1:0",
        "layout": {"address": service.stages["layout_stage"].command.address},
        "vlm": {"address": service.stages["vlm_stage"].command.address},
        "tls": {
            "certificate": str(files.certificate),
            "key": str(files.key),
            "client_ca": str(authority.file),
            "health_listen": f"unix:{folder}/health.sock",
        },
        "tokens": [{"name": "indexer", "sha256": hash_of(TOKEN), "max_documents": 2}],
    }
    (folder / "orchestrator.toml").write_text(to_toml(settings), encoding="utf-8")
    log = folder / "log"
    with log.open("wb") as lines:
        command = [sys.executable, "-m", "orchestrator", "--config", str(folder / "orchestrator.toml")]
        child = subprocess.Popen(command, stderr=lines)
    try:
        wait_until(lambda: is_serving(f"unix:{folder}/health.sock"))
        listening = next(line for line in log.read_text().splitlines() if '"listening"' in line)
        yield listening.partition('"address": "')[2].partition('"')[0]
    finally:
        child.terminate()
        child.wait(20)


def test_a_document_is_parsed_over_mutual_tls_with_a_token_and_not_with_a_wrong_one(
    service: LocalService, tmp_path: Path
) -> None:
    authority = Authority(tmp_path)
    own = authority.issue("client", to="client")
    (tmp_path / "token").write_text(TOKEN, encoding="ascii")
    page = np.full((160, 640, 3), 255, np.uint8)
    cv2.putText(page, "Invoice 4711", (40, 100), cv2.FONT_HERSHEY_SIMPLEX, 2, (0, 0, 0), 4)
    cv2.imwrite(str(tmp_path / "page.png"), page)
    tls = ("--tls-ca", authority.file, "--tls-cert", own.certificate, "--tls-key", own.key)
    token = ("--token-file", tmp_path / "token")
    with orchestrator(service, authority, tmp_path) as address:
        parse = ("parse", tmp_path / "page.png", "--server", address)
        done = run(*parse, *tls, *token)
        assert (done.code, "4711" in done.out) == (0, True), done.err
        run(*parse, *tls, env={"ARCSCRIBE_TOKEN": "wrong"}).assert_one_clear_line("not known")
    log = (tmp_path / "log").read_text()
    assert '"UNAUTHENTICATED"' in log
    assert TOKEN not in log
