"""`arcscribe parse` and the command's edges, against a service that is a fake behind real gRPC."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import ClassVar

import pytest

from arcscribe.async_client import Parsed
from arcscribe.document import AssembledMarkdown, Document, LineCounts, PageFailure, ParsedPage
from arcscribe.models.converted import MANIFEST
from arcscribe.tools.jobs import summary
from arcscribe.tools.local_service import LocalSettings
from arcscribe.tools.main import main
from arcscribe.types import (
    Block,
    Box,
    FinishReason,
    Region,
    RegionFailure,
    RegionKind,
    RegionText,
    TextFormat,
)
from arcscribe.v1 import parse_pb2, vlm_pb2
from tests.fake_parser import FakeParser, add_to
from tests.servers import serving
from tests.waiting import wait_until

COMMAND = (sys.executable, "-m", "arcscribe.tools")


@dataclass
class Service:
    address: str
    parser: FakeParser


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    parser, loop, stop = FakeParser(), asyncio.new_event_loop(), asyncio.Event()
    running = Service("", parser)

    async def serve() -> None:
        folder = tmp_path / "service"
        folder.mkdir()
        async with serving(folder, partial(add_to, parser)) as address:
            running.address = address
            await stop.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),))
    thread.start()
    wait_until(lambda: bool(running.address))
    yield running
    loop.call_soon_threadsafe(stop.set)
    thread.join()
    loop.close()


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """Where the command runs: a folder with a few documents."""
    folder = tmp_path / "here"
    folder.mkdir()
    for name in ("one", "two", "damaged", "locked", "endless"):
        (folder / f"{name}.pdf").write_bytes(name.encode())
    return folder


def start(here: Path, *arguments: str, **how: object) -> "subprocess.Popen[str]":
    return subprocess.Popen(  # type: ignore[call-overload, no-any-return]  # the options are the test's own
        [*COMMAND, *arguments],
        **{
            "cwd": here,
            "text": True,
            "stdout": subprocess.PIPE,
            "stderr": subprocess.PIPE,
            "env": {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
            **how,
        },
    )


def run(here: Path, *arguments: str, **how: object) -> tuple[int, str, str]:
    """Exit status, standard output and standard error stream of the command."""
    child = start(here, *arguments, **how)
    out, err = child.communicate(timeout=60)
    return child.returncode, out, err


def test_one_document_goes_to_the_standard_output_and_a_summary_to_the_other_stream(
    here: Path, service: Service
) -> None:
    code, out, err = run(here, "parse", "one.pdf", "--server", service.address)
    assert (code, out) == (0, "one\n")
    assert err == "one.pdf: 1 page, 0.0 s\n"


def test_options_go_to_the_service(here: Path, service: Service) -> None:
    valued = ["--pages", "2-", "--dpi", "96", "--password", "pw", "--tables", "gfm", "--pictures", "none"]
    flags = ["--upright", "--page-breaks", "--headers-and-footers"]
    assert run(here, "parse", "one.pdf", "--server", service.address, *valued, *flags)[0] == 0
    (sent,) = service.parser.starts
    assert sent.name == "one.pdf"
    assert sent.options == parse_pb2.ParseOptions(
        pages="2-",
        dpi=96,
        password="pw",
        table_format=parse_pb2.TABLE_FORMAT_GFM,
        picture_mode=parse_pb2.PICTURE_MODE_NONE,
        skip_orientation=True,
        page_breaks=True,
        headers_and_footers=True,
        recognize=vlm_pb2.RecognizeOptions(),
    )


def test_what_is_being_read_is_told_in_lines_when_asked_for(here: Path, service: Service) -> None:
    code, out, err = run(here, "parse", "one.pdf", "--server", service.address, "--partial")
    assert (code, out) == (0, "one\n")
    *told, summary_line = err.splitlines()
    assert told[:2] == ["one.pdf: page 1, region 3: half a", "one.pdf: page 1, region 3: half a?[31m text"]
    assert told[2].startswith("one.pdf: page 1, region 4: …")
    assert told[2].endswith("甲方：甲方：")
    assert summary_line == "one.pdf: 1 page, 0.0 s"


def test_what_is_being_read_is_shown_on_a_terminal_and_goes_away(here: Path, service: Service) -> None:
    service.parser.seconds = 1.0
    ours, terminal = os.openpty()
    child = start(here, "parse", "one.pdf", "--server", service.address, stderr=terminal)
    os.close(terminal)
    shown = b""
    with suppress(OSError):  # which a terminal gives when the last who had it open has ended
        while part := os.read(ours, 4096):
            shown += part
    out, _ = child.communicate(timeout=30)
    os.close(ours)
    assert (child.returncode, out) == (0, "one\n")
    text = shown.decode()
    assert "page 1, region 3: half a?[31m text" in text
    assert "\x1b[31m text" not in text
    assert "page 1, region 4: …" in text
    assert text.splitlines()[-1].endswith("one.pdf: 1 page, 0.0 s")


def test_results_pictures_and_overlays_go_to_their_folders(here: Path, service: Service) -> None:
    arguments = ["-o", "results/", "--images", "img", "--overlay", "overlays"]
    assert run(here, "parse", "one.pdf", "two.pdf", "--server", service.address, *arguments)[0] == 0
    made = {str(path.relative_to(here)) for path in here.rglob("*") if path.suffix not in {".pdf", ""}}
    assert made == {
        "results/one.md",
        "results/two.md",
        "img/one/page-0001-image-001.png",
        "img/two/page-0001-image-001.png",
        "overlays/one-page-0001.jpg",
        "overlays/two-page-0001.jpg",
    }
    assert service.parser.starts[0].options.picture_folder == "../img/one"


@pytest.mark.parametrize("mode", ["inline", "none"])
def test_pictures_go_to_files_only_where_links_lead_to_them_or_a_folder_is_named(
    here: Path, service: Service, mode: str
) -> None:
    arguments = ["parse", "one.pdf", "-o", "out/", "--server", service.address, "--pictures", mode]
    assert run(here, *arguments)[0] == 0
    assert [path.name for path in (here / "out").iterdir()] == ["one.md"]
    assert run(here, *arguments, "--images", "img")[0] == 0
    assert [path.name for path in (here / "img").iterdir()] == ["page-0001-image-001.png"]


@pytest.mark.parametrize("name", ["two\nlines.pdf", "red\x1b[31m.pdf", "bad\udcff.pdf"])
def test_a_strange_name_is_one_printable_line(here: Path, service: Service, name: str) -> None:
    (here / name).write_bytes(b"one")
    code, out, err = run(here, "parse", name, "--server", service.address, "--format", "json")
    assert (code, json.loads(out)["page_count"]) == (0, 7)
    (line,) = err.splitlines()
    assert line.isprintable()
    (here / name).write_bytes(b"damaged")
    code, out, err = run(here, "parse", name, "--server", service.address)
    assert (code, out) == (1, "")
    (line,) = err.splitlines()
    assert line.isprintable()


def test_a_closed_standard_error_stream_hinders_nothing(here: Path, service: Service) -> None:
    command = [*COMMAND, "parse", "one.pdf", "-o", "out.md", "--server", service.address]
    closed = subprocess.run(
        ["/bin/sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh", *command], cwd=here, timeout=60, check=False
    )
    assert closed.returncode == 0
    assert (here / "out.md").read_text() == "one"


def test_a_result_may_be_json(here: Path, service: Service) -> None:
    code, out, _ = run(here, "parse", "one.pdf", "--server", service.address, "--format", "json")
    assert code == 0
    assert json.loads(out)["page_count"] == 7


def test_a_document_that_fails_is_one_line_and_the_others_are_parsed(here: Path, service: Service) -> None:
    files = ["damaged.pdf", "one.pdf", "locked.pdf"]
    code, out, err = run(here, "parse", *files, "-o", "out", "--server", service.address)
    assert (code, out) == (1, "")
    assert err.splitlines() == [
        "error: damaged.pdf: damaged",
        "one.pdf: 1 page, 0.0 s",
        "error: locked.pdf needs a password",
    ]
    assert [path.name for path in (here / "out").glob("*.md")] == ["one.md"]


def test_a_result_that_cannot_be_written_is_one_line_and_the_others_are_written(
    here: Path, service: Service
) -> None:
    (here / "out").mkdir()
    (here / "out/one_images").write_text("in the way")
    code, _, err = run(here, "parse", "one.pdf", "two.pdf", "-o", "out", "--server", service.address)
    assert code == 1
    assert err.splitlines()[0].startswith("error: ")
    assert "one_images" in err.splitlines()[0]
    assert (here / "out/two.md").read_text() == "two"
    assert not (here / "out/one.md").exists()


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (["parse"], 2, "Missing argument"),
        (["parse", "one.pdf", "--format", "xml"], 2, "'xml' is not one of"),
        (["parse", "one.pdf", "--dpi", "many"], 2, "--dpi"),
        (["parse", "one.pdf", "--colour"], 2, "No such option: --colour"),
        (["paint"], 2, "No such command 'paint'"),
        (["parse", "absent.pdf"], 1, "absent.pdf: no such file or directory"),
        (["parse", "."], 1, "is a directory"),
        (["parse", "one.pdf", "two.pdf"], 1, "several files need --out DIR"),
        (["parse", "one.pdf", "-o", "one.pdf"], 1, "one of the documents themselves"),
        (["parse", "one.pdf", "--server", "127.0.0.1:9"], 1, "one.pdf: the server cannot be reached"),
        (["parse", "one.pdf", "--server", "127.0.0.1:9", "--dpi", "-1"], 1, "cannot be sent"),
        (["parse", "one.pdf", "--server", "127.0.0.1:9", "--engine", "pp-ocrv6"], 1, "not for --server"),
        (["parse", "one.pdf", "--server", "127.0.0.1:9", "--draft", "pp-ocr"], 1, "not for --server"),
        (["parse", "one.pdf", "--engine", "pp-ocrv6", "--draft", "pp-ocr"], 1, "drafts are for paddleocr-vl"),
        (["parse", "one.pdf", "--engine", "pp-ocrv5", "--model", "x"], 1, "pp-ocrv5 has its own"),
        (["serve", "vlm", "--engine", "pp-ocrv5"], 1, "go with `serve all`"),
        (["serve", "layout", "--layout-model", "x"], 1, "go with `serve all`"),
        (["serve", "all", "--engine", "pp-ocrv5", "--model", "x"], 1, "pp-ocrv5 has its own"),
        (["serve", "all", "--layout-model", "absent"], 1, "neither a folder nor one of layout-cdla"),
        (["parse", "one.pdf", "--layout-model", "absent"], 1, "neither a folder nor one of layout-cdla"),
        (["layout", "one.pdf", "--layout-model", "absent"], 1, "neither a folder nor one of layout-cdla"),
        (["serve", "all", "--config", "absent.toml"], 1, "absent.toml: No such file"),
    ],
)
def test_what_is_wrong_is_one_line(
    here: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    status: int,
    words: str,
) -> None:
    monkeypatch.chdir(here)
    monkeypatch.setattr(sys, "argv", ["arcscribe", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    said = capsys.readouterr()
    assert (ended.value.code, said.out) == (status, "")
    (line,) = said.err.splitlines()
    assert line.startswith("error: ")
    assert words in line


class FakeLocalService:
    """In place of the processes: a service that runs already, and what it was to be told."""

    address = ""
    told: ClassVar[list[LocalSettings]] = []

    def __init__(self, settings: LocalSettings, **_how: bool) -> None:
        self.told.append(settings)

    def __enter__(self) -> "FakeLocalService":
        return self

    def __exit__(self, *_error: object) -> None:
        pass


@pytest.mark.parametrize(
    ("arguments", "engine", "last_line"),
    [
        (
            ["one.pdf"],
            "pp-ocrv6",
            "pp-ocrv6 read this, as no PaddleOCR-VL is here; to have it: arcscribe models",
        ),
        (["one.pdf", "--engine", "pp-ocrv6"], "pp-ocrv6", "one.pdf: 1 page"),
        (["damaged.pdf"], "pp-ocrv6", "error: damaged.pdf: damaged"),
        (["one.pdf", "--model", "mine"], "paddleocr-vl", "one.pdf: 1 page"),
    ],
)
def test_who_names_no_engine_is_told_in_one_line_which_one_reads_for_want_of_a_vlm(
    here: Path,
    service: Service,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    engine: str,
    last_line: str,
) -> None:
    monkeypatch.chdir(here)
    monkeypatch.setenv("ARCSCRIBE_MODELS", str(tmp_path / "store"))
    monkeypatch.setattr(FakeLocalService, "address", service.address)
    monkeypatch.setattr(FakeLocalService, "told", [])
    monkeypatch.setattr("arcscribe.tools.connected_client.LocalService", FakeLocalService)
    monkeypatch.setattr(sys, "argv", ["arcscribe", "parse", *arguments])
    with pytest.raises(SystemExit):
        main()
    assert capsys.readouterr().err.splitlines()[-1].startswith(last_line)
    assert [(settings.vlm or {})["engine"] for settings in FakeLocalService.told] == [engine]


@pytest.mark.parametrize("arguments", [[], ["--engine", "paddleocr-vl"], ["--model", "toy-int8"]])
def test_which_converted_model_reads_is_told_in_a_line(
    here: Path,
    service: Service,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
) -> None:
    store = tmp_path / "store"
    (store / "toy-int8").mkdir(parents=True)
    (store / "toy-int8" / MANIFEST).write_text("{}")
    monkeypatch.chdir(here)
    monkeypatch.setenv("ARCSCRIBE_MODELS", str(store))
    monkeypatch.setattr(FakeLocalService, "address", service.address)
    monkeypatch.setattr("arcscribe.tools.connected_client.LocalService", FakeLocalService)
    monkeypatch.setattr(sys, "argv", ["arcscribe", "parse", "one.pdf", *arguments])
    with suppress(SystemExit):
        main()
    assert capsys.readouterr().err == "paddleocr-vl with toy-int8\none.pdf: 1 page, 0.0 s\n"


def test_ctrl_c_while_the_command_still_loads_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Interrupted:
        def find_spec(self, name: str, *_: object) -> None:
            if name == "arcscribe.tools.app":
                raise KeyboardInterrupt

    monkeypatch.delitem(sys.modules, "arcscribe.tools.app", raising=False)
    monkeypatch.setattr(sys, "meta_path", [Interrupted(), *sys.meta_path])
    with pytest.raises(SystemExit) as ended:
        main()
    assert (ended.value.code, capsys.readouterr().err) == (130, "interrupted\n")


def test_until_ctrl_c_is_one_line_nothing_heavy_loads() -> None:
    script = "import sys, arcscribe.tools.main; print({'grpc', 'numpy', 'typer'} & set(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert loaded.stdout.strip() == "set()"


def test_what_is_wrong_with_a_stages_file_is_one_line(here: Path) -> None:
    code, out, err = run(here, "serve", "layout", "--config", "absent.toml")
    assert (code, out, err) == (1, "", "error: absent.toml: No such file or directory\n")


def test_a_closed_standard_output_is_refused_before_anything_is_parsed(here: Path, service: Service) -> None:
    command = [*COMMAND, "parse", "one.pdf", "--server", service.address]
    closed = subprocess.run(
        ["/bin/sh", "-c", 'exec "$@" >&-', "sh", *command],
        cwd=here,
        stderr=subprocess.PIPE,
        text=True,
        timeout=60,
        check=False,
    )
    assert (closed.returncode, closed.stderr) == (1, "error: the standard output is closed; say --out\n")
    assert service.parser.starts == []


def test_a_reader_of_the_output_that_leaves_ends_the_command_quietly(here: Path, service: Service) -> None:
    (here / "long.pdf").write_bytes(b"long " * 100_000)
    child = start(here, "parse", "long.pdf", "--server", service.address)
    assert child.stdout is not None
    child.stdout.close()
    assert child.stderr is not None
    assert child.stderr.read() == ""
    assert child.wait(30) == 1
    child.stderr.close()


@pytest.mark.parametrize(
    ("number", "status", "said"),
    [(signal.SIGINT, 130, "interrupted\n"), (signal.SIGTERM, 143, ""), (signal.SIGHUP, 129, "")],
)
def test_a_signal_ends_the_call_and_leaves_no_file(
    here: Path, service: Service, number: signal.Signals, status: int, said: str
) -> None:
    child = start(here, "parse", "endless.pdf", "-o", "out.md", "--server", service.address)
    wait_until(lambda: service.parser.in_work == 1)
    child.send_signal(number)
    out, err = child.communicate(timeout=30)
    assert (child.returncode, out, err) == (status, "", said)
    wait_until(lambda: service.parser.in_work == 0, 2)
    assert not (here / "out.md").exists()


def test_a_hang_up_that_nohup_has_ignored_is_ignored(here: Path, service: Service) -> None:
    def ignore_hang_up() -> None:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)

    arguments = ["parse", "endless.pdf", "--server", service.address]
    child = start(here, *arguments, preexec_fn=ignore_hang_up)
    wait_until(lambda: service.parser.in_work == 1)
    child.send_signal(signal.SIGHUP)
    with pytest.raises(subprocess.TimeoutExpired):
        child.wait(0.3)
    child.terminate()
    child.communicate(timeout=30)
    assert child.returncode == 143


def test_the_summary_counts_what_was_not_read() -> None:
    region = Region(1, RegionKind.TEXT, "text", 0.9, Box(0, 0, 1, 1))
    failed = Block(region, RegionFailure("INFERENCE_FAILED", "no luck"))
    pages = (
        ParsedPage(1, 1, 1, 0, (failed,)),
        ParsedPage(2, 0, 0, 0, (), PageFailure("INVALID_DOCUMENT", "damaged")),
    )
    markdown = AssembledMarkdown("", (), (LineCounts(4, 3, 0, 1), LineCounts()))
    parsed = Parsed(Document("it", 2, pages), markdown, (), (), 1234.0)
    assert summary("it.pdf", parsed) == (
        "it.pdf: 2 pages, 1 region, 4 text lines, 1 page failed, 1 region failed, 1 line lost, 1.2 s"
    )


def test_the_summary_counts_what_was_cut_off() -> None:
    blocks = tuple(
        Block(
            Region(number, RegionKind.TEXT, "text", 0.9, Box(0, 0, 1, 1)),
            RegionText("a", TextFormat.PLAIN, reason, "an-engine", "a-model", 1.0),
        )
        for number, reason in enumerate(FinishReason)
    )
    page, nothing = ParsedPage(1, 1, 1, 0, blocks), AssembledMarkdown("", (), (LineCounts(),))
    parsed = Parsed(Document("it", 1, (page,)), nothing, (), (), 1234.0)
    assert summary("it.pdf", parsed) == "it.pdf: 1 page, 3 regions, 2 cut off, 1.2 s"
