"""The public clients, against a service that is a fake behind real gRPC."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import pytest

import arcscribe
from arcscribe import AsyncClient, Client, ParseOptions
from arcscribe.async_client import Parsed, collect
from arcscribe.errors import (
    ArcscribeError,
    InferenceFailed,
    InvalidDocument,
    InvalidOption,
    PasswordRequired,
    QueueFull,
    StageTimeout,
    StageUnavailable,
)
from arcscribe.events import (
    DocumentDone,
    DocumentOpened,
    PageDone,
    ParseEvent,
    Progress,
    RegionPartial,
)
from arcscribe.types import RecognizeOptions
from arcscribe.upload import CHUNK_BYTES, check_readable
from tests.fake_parser import ERRORS, PARTIALS, FakeParser, add_to
from tests.servers import serving
from tests.waiting import soon, wait_until

EXPECTED = [DocumentOpened, PageDone, DocumentDone]


class Service:
    """A fake service on a loop in a thread of its own, for blocking clients."""

    def __init__(self, folder: Path) -> None:
        self.parser = FakeParser()
        self.address = ""
        self._folder = folder
        self._loop = asyncio.new_event_loop()
        self._stop = asyncio.Event()
        self._thread = threading.Thread(target=self._loop.run_until_complete, args=(self._serve(),))

    async def _serve(self) -> None:
        async with serving(self._folder, partial(add_to, self.parser)) as address:
            self.address = address
            await self._stop.wait()

    def start(self) -> None:
        self._thread.start()
        wait_until(lambda: bool(self.address))

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()
        self._loop.close()


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    running = Service(tmp_path)
    running.start()
    yield running
    running.stop()


@pytest.fixture
def client(service: Service) -> Iterator[Client]:
    with Client(service.address, timeout_seconds=20) as opened:
        yield opened


@asynccontextmanager
async def async_client(folder: Path, parser: FakeParser) -> AsyncIterator[AsyncClient]:
    async with serving(folder, partial(add_to, parser)) as address, AsyncClient(address) as opened:
        yield opened


def test_a_document_is_parsed_from_bytes_or_from_its_file(client: Client, tmp_path: Path) -> None:
    path = tmp_path / "letter.pdf"
    path.write_bytes(b"dear all")
    for source, name in ((b"dear all", "document"), (path, "letter.pdf"), (str(path), "letter.pdf")):
        parsed = client.parse(source)
        assert isinstance(parsed, Parsed)
        assert (parsed.markdown, parsed.document.name) == ("dear all", name)
        assert (parsed.document.page_count, len(parsed.document.pages)) == (7, 1)
        assert [picture.name for picture in parsed.pictures] == ["page-0001-image-001.png"]
        assert parsed.overlays == ((1, b"\xff\xd8"),)


def test_a_parsed_document_is_json_too(client: Client) -> None:
    assert json.loads(client.parse(b"dear all").to_json())["page_count"] == 7


def test_a_large_document_goes_in_chunks(client: Client, service: Service) -> None:
    data = b"0123456789" * 100_000
    assert client.parse(data).markdown.encode() == data
    assert service.parser.longest_chunk == CHUNK_BYTES


def test_options_name_and_request_id_go_with_the_call(client: Client, service: Service) -> None:
    client.parse(b"x", ParseOptions(pages="2-", dpi=96), name="other.pdf", request_id="r-17")
    (start,) = service.parser.starts
    assert (start.name, start.options.pages, start.options.dpi) == ("other.pdf", "2-", 96)
    assert service.parser.request_ids == ["r-17"]


def test_events_stream(client: Client) -> None:
    assert [type(event) for event in client.stream(b"x")] == EXPECTED


def test_partial_texts_are_events_when_asked_for_and_no_part_of_the_result(client: Client) -> None:
    options = ParseOptions(recognize=RecognizeOptions(partial_text=True))
    events = list(client.stream(b"x", options))
    assert [event for event in events if isinstance(event, RegionPartial)] == list(PARTIALS)
    assert client.parse(b"x", options) == client.parse(b"x")


@pytest.mark.parametrize(
    ("data", "kind"), [(b"damaged", InvalidDocument), (b"locked", PasswordRequired), (b"busy", QueueFull)]
)
def test_errors_arrive_as_themselves(service: Service, data: bytes, kind: type[ArcscribeError]) -> None:
    with Client(service.address, wait_when_full=False) as client, pytest.raises(kind) as caught:
        client.parse(data)
    assert caught.value.message == ERRORS[data].message
    assert caught.value.details == ERRORS[data].details


def test_a_document_that_finds_no_place_is_sent_again_when_the_service_says(
    client: Client, service: Service, tmp_path: Path
) -> None:
    path = tmp_path / "letter.pdf"
    path.write_bytes(b"dear all")
    for source in (b"dear all", path):
        service.parser.refusals = 3
        started = time.monotonic()
        assert client.parse(source).markdown == "dear all"
        assert service.parser.refusals == 0
        assert time.monotonic() - started >= 3 * 0.015


def test_who_waits_for_a_place_waits_no_longer_than_the_documents_time(client: Client) -> None:
    started = time.monotonic()
    with pytest.raises(QueueFull):
        client.parse(b"busy", timeout_seconds=0.7)
    assert 0.15 < time.monotonic() - started < 5


def test_a_pipe_which_cannot_be_read_twice_is_not_sent_again(
    client: Client, service: Service, tmp_path: Path
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    service.parser.refusals = 1
    with ThreadPoolExecutor(1) as pool:
        writing = pool.submit(pipe.write_bytes, b"dear all")
        with pytest.raises(QueueFull):
            client.parse(pipe)
        writing.result()


def test_what_the_service_did_not_foresee_is_a_failed_inference(client: Client) -> None:
    with pytest.raises(InferenceFailed, match="its log tells why"):
        client.parse(b"crash")


def test_a_stream_without_an_end_is_no_document(client: Client) -> None:
    with pytest.raises(InferenceFailed, match="without a result"):
        client.parse(b"unfinished")
    with pytest.raises(InferenceFailed):
        collect([], "it")


@pytest.mark.parametrize("own", [False, True])
def test_the_deadline_is_a_timeout(service: Service, own: bool) -> None:
    with Client(service.address, timeout_seconds=20 if own else 0.2) as client:
        started = time.monotonic()
        with pytest.raises(StageTimeout):
            client.parse(b"endless", timeout_seconds=0.2 if own else None)
        assert time.monotonic() - started < 5
    wait_until(lambda: service.parser.in_work == 0)


def test_a_service_that_is_not_there_is_unavailable(tmp_path: Path) -> None:
    for address in ("127.0.0.1:9", f"unix:{tmp_path}/nobody.sock", "no-such-host.invalid:50060"):
        with Client(address) as client, pytest.raises(StageUnavailable, match="cannot be reached"):
            client.parse(b"x", timeout_seconds=10)


def test_a_consumer_that_leaves_cancels_the_call(client: Client, service: Service) -> None:
    for event in client.stream(b"endless"):
        if isinstance(event, Progress):
            break
    wait_until(lambda: service.parser.in_work == 0, 2)


def test_a_consumer_that_closes_before_it_begins_calls_nobody(client: Client, service: Service) -> None:
    events = client.stream(b"endless")
    assert isinstance(events, Generator)
    events.close()
    assert service.parser.starts == []


def test_several_threads_use_one_client(client: Client, service: Service) -> None:
    together = threading.Barrier(8)

    def parse(number: int) -> str:
        together.wait(10)
        return client.parse(b"document %d" % number + b"." * 300_000).markdown

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(parse, range(8)))
    assert [text.rstrip(".") for text in results] == [f"document {number}" for number in range(8)]
    assert service.parser.most_in_work > 1


def test_closing_the_client_ends_calls_in_other_threads(service: Service) -> None:
    client = Client(service.address)
    with ThreadPoolExecutor(1) as pool:
        call = pool.submit(client.parse, b"endless")
        wait_until(lambda: service.parser.in_work == 1)
        client.close()
        with pytest.raises(StageUnavailable, match="closed"):
            call.result(5)
    wait_until(lambda: service.parser.in_work == 0)


def test_a_client_that_is_closed_says_so(service: Service) -> None:
    client = Client(service.address)
    events = client.stream(b"endless")
    next(events)
    client.close()
    client.close()
    with pytest.raises(StageUnavailable, match="closed"):
        client.parse(b"x")
    with pytest.raises(StageUnavailable, match="closed"):
        next(events)


def ctrl_c_soon() -> threading.Timer:
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    return timer


def test_ctrl_c_ends_the_wait_and_the_call(client: Client, service: Service) -> None:
    timer = ctrl_c_soon()
    with pytest.raises(KeyboardInterrupt):
        client.parse(b"endless")
    timer.join()
    wait_until(lambda: service.parser.in_work == 0, 2)
    assert client.parse(b"x").markdown == "x"


def test_ctrl_c_in_a_stream_ends_it_without_another_error(client: Client, service: Service) -> None:
    timer = ctrl_c_soon()
    with pytest.raises(KeyboardInterrupt):
        list(client.stream(b"endless"))
    timer.join()
    wait_until(lambda: service.parser.in_work == 0, 2)


def test_files_that_cannot_be_read_are_invalid_documents(
    client: Client, tmp_path: Path, service: Service
) -> None:
    for path, words in ((tmp_path / "absent.pdf", "no such file"), (tmp_path, "is a directory")):
        for read in (client.parse, check_readable):
            with pytest.raises(InvalidDocument, match=words):
                read(path)
    assert service.parser.starts == []


def test_a_file_that_fails_while_it_is_sent_is_an_invalid_document(client: Client) -> None:
    path = Path(f"/proc/{os.getpid()}/mem")  # it opens, and its first byte cannot be read
    if not path.exists():
        pytest.skip("this system has no such file")
    with pytest.raises(InvalidDocument, match="mem: input/output error"):
        client.parse(path)


def test_a_file_name_that_is_not_unicode_is_no_obstacle(
    client: Client, tmp_path: Path, service: Service
) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.pdf"))
    path.write_bytes(b"x")
    assert client.parse(path).markdown == "x"
    assert service.parser.starts[0].name == "?.pdf"


def test_options_that_cannot_be_sent_are_refused(client: Client, service: Service) -> None:
    with pytest.raises(InvalidOption, match="cannot be sent"):
        client.parse(b"x", ParseOptions(dpi=-5))
    assert service.parser.starts == []


def test_the_async_client_parses_and_streams(tmp_path: Path) -> None:
    async def run() -> None:
        async with async_client(tmp_path, FakeParser()) as client:
            texts = await asyncio.gather(*(client.parse(b"document %d" % number) for number in range(5)))
            assert [parsed.markdown for parsed in texts] == [f"document {number}" for number in range(5)]
            assert [type(event) async for event in client.stream(b"x")] == EXPECTED
            with pytest.raises(InvalidDocument):
                await client.parse(b"damaged")

    asyncio.run(run())


def test_an_async_consumer_that_leaves_cancels_the_call(tmp_path: Path) -> None:
    async def run() -> None:
        parser = FakeParser()
        async with async_client(tmp_path, parser) as client:
            events = client.stream(b"endless")
            seen: list[ParseEvent] = [await anext(events), await anext(events)]
            assert len(seen) == 2
            assert parser.in_work == 1
            await events.aclose()
            await soon(lambda: parser.in_work == 0, 2)

    asyncio.run(run())


def test_a_cancelled_task_cancels_the_call(tmp_path: Path) -> None:
    async def run() -> None:
        parser = FakeParser()
        async with async_client(tmp_path, parser) as client:
            task = asyncio.create_task(client.parse(b"endless"))
            await soon(lambda: parser.in_work == 1)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await soon(lambda: parser.in_work == 0, 2)

    asyncio.run(run())


@pytest.mark.parametrize("name", arcscribe.__all__)
def test_the_package_gives_what_it_promises(name: str) -> None:
    assert getattr(arcscribe, name).__name__ == name


def test_the_package_gives_nothing_else() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        _ = arcscribe.Nothing


def test_a_file_whose_name_is_not_unicode_is_parsed_and_is_json(client: Client, tmp_path: Path) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path / "bad") + b"\xff.pdf"))
    path.write_bytes(b"dear all")
    assert json.loads(client.parse(path).to_json())["name"] == "bad?.pdf"


def test_a_named_pipe_is_read_once_and_whole(client: Client, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    data = b"0123456789" * 100_000
    check_readable(pipe)
    with ThreadPoolExecutor(1) as pool:
        written = pool.submit(pipe.write_bytes, data)
        assert client.parse(pipe).markdown.encode() == data
        assert written.result() == len(data)


SILENT_PIPES = {
    "nobody opens it": "",
    "nobody writes to it": "os.open(pipe, os.O_RDWR);",
}


@pytest.mark.parametrize("opened", SILENT_PIPES.values(), ids=SILENT_PIPES)
def test_a_pipe_in_which_nobody_writes_does_not_keep_a_program_from_ending(
    service: Service, tmp_path: Path, opened: str
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    script = f"import os, sys, arcscribe; address, pipe = sys.argv[1:]; {opened}"
    script += "arcscribe.Client(address, timeout_seconds=0.5).parse(pipe)"
    command = [sys.executable, "-c", script, service.address, str(pipe)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as child:
        time.sleep(2)
        child.send_signal(signal.SIGINT)
        _, errors = child.communicate(timeout=20)
    assert "KeyboardInterrupt" in errors or "StageTimeout" in errors
