"""Calls of several threads, gathered into one."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from threading import Condition
from typing import Generic, TypeVar

import structlog

Item = TypeVar("Item")
Result = TypeVar("Result")

_log = structlog.get_logger()


class Gathering(Generic[Item, Result]):
    """Makes one call for the items of several threads; each waits for its own result.

    The first item's thread waits for others, and makes the call for all. Where a call for several fails, each
    is called for alone, so that one bad item fails alone; where then none fails, nothing is gathered again.
    """

    def __init__(
        self, call: Callable[[Sequence[Item]], Sequence[Result]], most: int, wait_seconds: float
    ) -> None:
        """Takes what gives a result for each item, how many items it takes, and how long the first waits."""
        self._call, self._most, self._wait_seconds = call, most, wait_seconds
        self._changed = Condition()
        self._open: list[tuple[Item, Future[Result]]] = []

    def result(self, item: Item) -> Result:
        """The item's result; raises what the call raises for the item alone."""
        own: Future[Result] = Future()
        with self._changed:
            self._open.append((item, own))
            batch, leads = self._open, len(self._open) == 1
            if len(batch) >= self._most:
                self._close(batch)
            if leads:
                self._changed.wait_for(lambda: self._open is not batch, self._wait_seconds)
                self._close(batch)
        if leads:
            self._finish(batch)
        return own.result()

    def _close(self, batch: list[tuple[Item, Future[Result]]]) -> None:
        if self._open is batch:
            self._open = []
            self._changed.notify_all()

    def _finish(self, batch: Sequence[tuple[Item, "Future[Result]"]]) -> None:
        try:
            results = self._call([item for item, _ in batch])
        except Exception as error:  # told to whom it concerns
            if len(batch) == 1:
                batch[0][1].set_exception(error)
            else:
                self._one_by_one(batch, error)
        else:
            for (_, future), result in zip(batch, results, strict=True):
                future.set_result(result)

    def _one_by_one(self, batch: Sequence[tuple[Item, "Future[Result]"]], error: Exception) -> None:
        for item, future in batch:
            self._finish([(item, future)])
        if not any(future.exception() for _, future in batch):
            self._most = 1
            _log.warning("batches fail, pages are run one by one", error=str(error))
