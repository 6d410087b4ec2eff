"""The worker processes: started, limited, given requests, and replaced."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

from arcscribe.errors import InvalidDocument, StageTimeout
from arcscribe.turns import Turns
from arcscribe.types import RgbImage
from orchestrator.metrics import PAGE_WORKER_RESTARTS, PAGE_WORKERS_WAITED_FOR
from orchestrator.pages.messages import Failed, Reply, Request
from orchestrator.pages.process import WorkerDied, WorkerProcess, WorkerTooSlow
from orchestrator.unrest import Unrest

MAX_REQUESTS = 500
"""After so many a worker is replaced, so that what a library leaks does not add up."""


class WorkerPool:
    """A fixed number of workers, each with one request at a time; who asks waits for an idle one.

    Documents take turns, so one with a page waits for a page of each other one.
    """

    def __init__(self, count: int, memory_mib: int) -> None:
        self._count = count
        self._memory_mib = memory_mib
        self._unrest = Unrest()
        self._workers: set[WorkerProcess] = set()
        self._idle: list[WorkerProcess] = []
        self._turns = Turns(count)
        # The thread of a cancelled request lives until its worker is gone, so there is one to spare.
        self._threads = ThreadPoolExecutor(count + 1, thread_name_prefix="pages")

    @property
    def pids(self) -> tuple[int, ...]:
        """The workers' process ids."""
        return tuple(worker.pid for worker in self._workers)

    @property
    def idle(self) -> int:
        """How many workers have nothing to do."""
        return len(self._idle)

    def start(self) -> None:
        for _ in range(self._count):
            self._idle.append(self._new_worker())

    def stop(self) -> None:
        """Ends the workers, whatever they are at."""
        for worker in self._workers:
            worker.kill()
        self._workers.clear()
        self._threads.shutdown(wait=True)

    async def ask(self, request: Request, descriptor: int) -> tuple[Reply, RgbImage | None]:
        """Let a worker answer; if it dies, a new one tries again, with nothing else on its mind.

        Once, unless workers die of other causes too: then it may not be the document that they die of.
        """
        deaths = 0
        while not self._unrest.is_to_blame(deaths):
            reply, pixels = await self._ask_once(request, descriptor)
            if reply is not None:
                return reply, pixels
            self._unrest.died()
            deaths += 1
        message = f"it ended the process that reads it; damaged, or over {self._memory_mib} MiB"
        return Failed(InvalidDocument.reason, message), None

    async def _ask_once(self, request: Request, descriptor: int) -> tuple[Reply | None, RgbImage | None]:
        """The reply, or None where the worker died."""
        with PAGE_WORKERS_WAITED_FOR.track_inprogress():
            await self._turns.take(request.document)
        worker = self._idle.pop(0)
        doubt = "caller left"
        try:
            future = self._threads.submit(worker.call, request, descriptor)
            reply, pixels = await asyncio.wrap_future(future)
            doubt = _doubt(worker, reply)
        except WorkerDied:
            doubt = "died"
            return None, None
        except WorkerTooSlow:
            doubt = "too slow"
            message = f"it took longer than {request.seconds:g} seconds to read"
            return Failed(StageTimeout.reason, message), None
        else:
            return reply, pixels
        finally:
            self._idle.append(self._replaced(worker, doubt) if doubt else worker)
            self._turns.give_back(request.document)

    def _replaced(self, worker: WorkerProcess, cause: str) -> WorkerProcess:
        """A new worker for one that is dead, or deaf, or not to be trusted any more."""
        PAGE_WORKER_RESTARTS.labels(cause).inc()
        worker.kill()
        self._workers.discard(worker)
        return self._new_worker()

    def _new_worker(self) -> WorkerProcess:
        worker = WorkerProcess(self._memory_mib)
        self._workers.add(worker)
        return worker


def _doubt(worker: WorkerProcess, reply: Reply) -> str:
    """Why the worker may be the worse for what it has read; empty where it is not."""
    if isinstance(reply, Failed) and (reply.reason == InvalidDocument.reason or reply.limit == "memory"):
        return "bad document"
    return "" if worker.answered < MAX_REQUESTS else "used up"
