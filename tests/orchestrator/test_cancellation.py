"""A document is cancelled anywhere on its path, and nothing of it stays."""

import asyncio
from collections.abc import Iterator

import grpc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samples.checkpoints.tokenizer import write_tokenizer
from tests.orchestrator.whole_path import WholePath, document, whole_path
from tests.waiting import soon

POINTS = st.sampled_from(["event", "open", "render", "layout", "crop", "draft"])
WHERE = st.tuples(POINTS, st.integers(1, 12)) | st.tuples(
    st.sampled_from(["after", "deadline"]), st.integers(0, 120)
)
"""A point of the path and how often it is reached before; or after so many milliseconds, of either end."""


class Rig:
    """The path, on a loop of its own."""

    def __init__(self, runner: asyncio.Runner, path: WholePath) -> None:
        self.runner, self.path = runner, path
        self.calm = {pages: runner.run(path.parse(document(1, pages))) for pages in (1, 2, 3)}
        runner.run(path.parse_at_once(document(0, 1)))
        self.idle = runner.run(self._settled())

    async def _settled(self) -> dict[str, object]:
        await asyncio.sleep(0.3)
        return self.path.held()


@pytest.fixture(scope="module")
def rig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rig]:
    folder = tmp_path_factory.mktemp("p")
    write_tokenizer(folder, 512)
    with pytest.MonkeyPatch.context() as patch, asyncio.Runner() as runner:
        context = whole_path(folder, folder / "tokenizer.json", patch)
        path = runner.run(context.__aenter__())
        try:
            yield Rig(runner, path)
        finally:
            runner.run(context.__aexit__(None, None, None))


async def cancelled(path: WholePath, pages: int, where: tuple[str, int], *, at_once: bool) -> None:
    """Parses a document, unless it comes to that point before it is done."""
    point, number = where
    parse = path.parse_at_once if at_once else path.parse
    seconds = number / 1000 if point == "deadline" else 20.0
    call = asyncio.create_task(parse(document(2, pages), seconds=seconds))
    leave = asyncio.create_task(
        asyncio.sleep(number / 1000) if point == "after" else path.wait_for(point, number)
    )
    await asyncio.wait({call} if point == "deadline" else {call, leave}, return_when="FIRST_COMPLETED")
    call.cancel()
    leave.cancel()
    for ended in await asyncio.gather(call, leave, return_exceptions=True):
        if isinstance(ended, grpc.aio.AioRpcError):
            # grpc.aio tells a deadline that passes while a message is sent as INTERNAL
            assert ended.code() in {grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.INTERNAL}
        elif isinstance(ended, grpc.aio.InternalError):
            assert point == "deadline"  # as above, and grpc.aio had no status yet
        else:
            assert not isinstance(ended, Exception)


@settings(max_examples=100, deadline=None)
@given(where=WHERE, pages=st.integers(1, 4), others=st.integers(0, 2), at_once=st.booleans())
def test_wherever_a_document_is_cancelled_all_is_back_within_a_second_and_others_are_right(
    rig: Rig, where: tuple[str, int], pages: int, others: int, at_once: bool
) -> None:
    async def work() -> None:
        beside = [asyncio.create_task(rig.path.parse(document(1, 1 + number))) for number in range(others)]
        await cancelled(rig.path, pages, where, at_once=at_once)
        assert await asyncio.gather(*beside) == [rig.calm[1 + number] for number in range(others)]
        try:
            await soon(lambda: rig.path.held() == rig.idle, 1.0)
        except AssertionError:
            assert rig.path.held() == rig.idle

    rig.runner.run(work())


def test_a_document_after_many_that_were_cancelled_is_right(rig: Rig) -> None:
    assert rig.runner.run(rig.path.parse(document(1, 3))) == rig.calm[3]
