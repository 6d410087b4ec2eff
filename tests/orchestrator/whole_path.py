"""All three processes' code on one event loop, with networks and page workers that are fakes."""

import asyncio
import gc
import os
import re
import threading
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Hashable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import grpc
from grpc_health.v1 import health_pb2_grpc

from arcscribe.rpc.channel import open_channel
from arcscribe.rpc.health import SERVING, Health
from arcscribe.turns import Turns
from arcscribe.types import (
    Box,
    Crop,
    FinishReason,
    PageLayout,
    Region,
    RegionKind,
    RegionText,
    RgbImage,
    StageModel,
    TextFormat,
)
from arcscribe.v1 import layout_pb2_grpc, parse_pb2, parse_pb2_grpc, vlm_pb2_grpc
from layout_stage.servicer import LayoutServicer
from orchestrator.admission import Admission
from orchestrator.pages import pool as pool_module
from orchestrator.pages.messages import Open, Opened, Rendered, Reply, Request, anonymous_file
from orchestrator.pages.process import WorkerDied, pixels_of
from orchestrator.pages.source import PageSource
from orchestrator.pipeline import Pipeline
from orchestrator.servicer import ParserServicer
from orchestrator.stages.draft import DraftSettings, DraftStage
from orchestrator.stages.layout import LayoutStage
from orchestrator.stages.stage_settings import StageSettings
from orchestrator.stages.vlm import VlmStage
from tests.servers import serving
from tests.vlm_stage.engines.paddleocr_vl.fake_engine import Fakes, running
from tests.waiting import soon
from vlm_stage.engines.engine import Cancel, Deliver
from vlm_stage.engines.engine_load import EngineLoad
from vlm_stage.engines.paddleocr_vl.engine import PaddleOcrVlEngine
from vlm_stage.servicer import RecognizerServicer

MODEL = StageModel("fake", "none", "CPU")
WIDTH, HEIGHT = 120, 90
STEP_SECONDS = 0.004
"""How long a page takes each step before the VLM stage."""

Reached = Callable[[str], None]


def document(seed: int, pages: int) -> bytes:
    """What the fake workers take for a PDF."""
    return b"%%PDF-1.7 %d %d" % (seed, pages)


class FakeWorker:
    """Draws pages in the calling thread."""

    def __init__(self, reached: Reached, _memory_mib: int) -> None:
        self._reached = reached
        self._dead = threading.Event()
        self.answered = 0
        self.pid = 0

    def call(self, request: Request, descriptor: int) -> tuple[Reply, RgbImage | None]:
        self._reached("open" if isinstance(request, Open) else "render")
        if self._dead.wait(STEP_SECONDS):
            raise WorkerDied
        seed, pages = map(int, os.pread(descriptor, 100, 0).split()[1:])
        if isinstance(request, Open):
            return Opened(pages), None
        grey = bytes([(40 * seed + 7 * request.index) % 256])
        file = anonymous_file(grey * (3 * WIDTH * HEIGHT))
        page = Rendered(WIDTH, HEIGHT, 200.0)
        return page, pixels_of(file, page)

    def kill(self) -> None:
        self._dead.set()


@dataclass(frozen=True)
class FakeAnalyzer:
    """Finds three regions on each page."""

    reached: Reached
    model = MODEL

    def analyze(self, image: RgbImage, *, detect_orientation: bool = True) -> PageLayout:
        assert detect_orientation
        self.reached("layout")
        time.sleep(STEP_SECONDS)
        boxes = [Box(10, 30 * row + 2, 70 + 15 * row, 30 * row + 28) for row in range(3)]
        regions = [Region(row, RegionKind.TEXT, "text", 1.0, box) for row, box in enumerate(boxes)]
        return PageLayout(0, image.shape[1], image.shape[0], tuple(regions), MODEL, ())


class DraftEngine:
    """Answers each crop with a word, a little later."""

    model, broken = MODEL, False

    def __init__(self, reached: Reached) -> None:
        self._reached = reached
        self._threads = ThreadPoolExecutor(1)
        self.open = 0

    def loads(self) -> Sequence[EngineLoad]:
        return ()

    def warm_up(self) -> None:
        return

    def submit(self, _crop: Crop, deliver: Deliver, *, stream: Hashable = None) -> Cancel:
        assert stream
        self.open += 1
        answer = self._threads.submit(self._answer, deliver)
        answer.add_done_callback(lambda _: self._left())
        return lambda: (answer.cancel(), None)[1]

    def close(self, _grace_seconds: float) -> None:
        self._threads.shutdown()

    def _answer(self, deliver: Deliver) -> None:
        self._reached("draft")
        time.sleep(STEP_SECONDS / 4)
        deliver(RegionText("abc", TextFormat.PLAIN, FinishReason.STOP, "fake", "none", 1.0))

    def _left(self) -> None:
        self.open -= 1


class WholePath:
    """What to call, and what to look at; make it by `whole_path`."""

    engine: PaddleOcrVlEngine
    layout: LayoutStage
    vlm: VlmStage
    draft: DraftStage
    stub: "parse_pb2_grpc.DocumentParserAsyncStub"

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._lock = threading.Lock()
        self._counts: Counter[str] = Counter()
        self._goal = ("", 0)
        self._at_goal = asyncio.Event()
        self.fakes = Fakes(prepare=lambda _: self.reached("crop"), max_sequences=3)
        self.admission, self.places = Admission(8, 10**6), Turns(4, one_each=True)
        self.source = PageSource()
        self.layout_servicer = LayoutServicer(lambda: FakeAnalyzer(self.reached), 16)
        self.drafts = DraftEngine(self.reached)

    def reached(self, point: str) -> None:
        """Somebody has come to a point of the path, in any thread."""
        with self._lock:
            self._counts[point] += 1
            if (point, self._counts[point]) == self._goal:
                self._loop.call_soon_threadsafe(self._at_goal.set)

    async def wait_for(self, point: str, times: int) -> None:
        """Returns when that has come for so many times, of both documents together."""
        with self._lock:
            self._counts.clear()
            self._at_goal.clear()
            self._goal = point, times
        await self._at_goal.wait()

    async def parse(self, data: bytes, *, seconds: float = 20.0) -> str:
        """The Markdown; each event is a point of the path."""
        requests = [parse_pb2.ParseStreamRequest(start=parse_pb2.ParseStart(name="it.pdf"))]
        requests += [parse_pb2.ParseStreamRequest(chunk=data[i : i + 4]) for i in range(0, len(data), 4)]
        markdown = ""
        async for event in self.stub.ParseStream(iter(requests), timeout=seconds):
            self.reached("event")
            markdown = event.done.markdown if event.HasField("done") else markdown
        return markdown

    async def parse_at_once(self, data: bytes, *, seconds: float = 20.0) -> str:
        """The same by the unary call."""
        response = await self.stub.Parse(parse_pb2.ParseRequest(document=data), timeout=seconds)
        return response.done.markdown

    def held(self) -> dict[str, object]:
        """What is taken of everything that documents take."""
        stages: dict[str, Any] = {"layout": self.layout, "vlm": self.vlm, "draft": self.draft}
        members = {name: stage.pool.members for name, stage in stages.items()}
        scheduler = self.fakes.scheduler
        assert scheduler is not None
        return {
            "documents": (self.admission.documents, self.admission.held),
            "pages": (self.places.taken, self.places.waiting),
            "workers": self.source.pool.idle,
            "loads": {name: [member.load for member in own] for name, own in members.items()},
            "inside gates": {name: [member.gate._inside for member in own] for name, own in members.items()},
            "calls": {name: [len(member._calls) for member in own] for name, own in members.items()},
            "layout": (self.layout_servicer._in_work, self.layout_servicer._turns.taken),
            "crops": sum(load.waiting + load.in_work for load in self.engine.loads()),
            "kv blocks": scheduler.used_blocks,
            "drafts": self.drafts.open,
            "files": _open_files(),
            "tasks": _tasks(),
        }


def _tasks() -> Counter[str]:
    """All but the one that asks, by the names of their functions."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    return Counter(getattr(task.get_coro(), "__qualname__", "") for task in others)


def _open_files() -> Counter[str]:
    """Descriptors but for gRPC's sockets and events, of which it opens more when it likes."""
    gc.collect()  # errors hold frames that hold them, and with those the pixels of pages
    opened = []
    for descriptor in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):  # that of this loop itself
            opened.append(str(descriptor.readlink()))
    names = (re.sub(r"\[\d+\]", "", name) for name in opened)
    return Counter(name for name in names if not name.startswith(("socket:", "anon_inode:")))


@asynccontextmanager
async def whole_path(folder: Path, tokenizer: Path, monkeypatch: Any) -> AsyncIterator[WholePath]:
    """All servers, connected and warm."""
    path = WholePath()
    monkeypatch.setattr(pool_module, "WorkerProcess", partial(FakeWorker, path.reached))
    with ExitStack() as engines:
        path.engine = engines.enter_context(running(path.fakes, tokenizer))
        async with AsyncExitStack() as stack:
            await _start(path, folder, stack)
            yield path


async def _start(path: WholePath, folder: Path, stack: AsyncExitStack) -> None:
    for name in ("stages", "draft", "parser"):
        await asyncio.to_thread((folder / name).mkdir)
    vlm, draft = RecognizerServicer(lambda: path.engine), RecognizerServicer(lambda: path.drafts)
    for servicer in (path.layout_servicer, vlm, draft):
        await servicer.warm_up()
    add_layout = layout_pb2_grpc.add_LayoutAnalyzerServicer_to_server
    add_vlm = vlm_pb2_grpc.add_RegionRecognizerServicer_to_server
    stages = partial(add_layout, path.layout_servicer), partial(add_vlm, vlm)
    at_stages = await _serving(folder / "stages", stack, *stages)
    at_draft = await _serving(folder / "draft", stack, partial(add_vlm, draft))
    path.layout, path.vlm = LayoutStage(StageSettings(at_stages)), VlmStage(StageSettings(at_stages))
    path.draft = DraftStage(DraftSettings(at_draft))
    for stage in (path.layout, path.vlm, path.draft):
        stack.push_async_callback(stage.close)
    await stack.enter_async_context(path.source)
    pipeline = Pipeline(path.source, path.layout, path.vlm, 3, path.draft, path.places)
    parser = ParserServicer(pipeline, path.admission)
    address = await _serving(
        folder / "parser", stack, partial(parse_pb2_grpc.add_DocumentParserServicer_to_server, parser)
    )
    path.stub = parse_pb2_grpc.DocumentParserStub(await stack.enter_async_context(open_channel(address)))
    pools = [stage.pool for stage in (path.layout, path.vlm, path.draft)]
    await soon(lambda: all(member.is_ready for pool in pools for member in pool.members))


async def _serving(folder: Path, stack: AsyncExitStack, *add_to: Callable[[grpc.aio.Server], None]) -> str:
    health = Health()
    await health.say("", SERVING)
    add_health = partial(health_pb2_grpc.add_HealthServicer_to_server, health)
    return await stack.enter_async_context(serving(folder, add_health, *add_to))
