"""How long a network's inferences take, seen from outside of what runs them."""

import time
from collections.abc import Callable
from typing import Any


class TimedNetwork:
    """A compiled network whose requests add up the seconds of their inferences."""

    def __init__(self, network: Any) -> None:
        self._network = network
        self.seconds = 0.0

    def create_infer_request(self) -> "_TimedRequest":
        return _TimedRequest(self._network.create_infer_request(), self._add)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._network, name)

    def _add(self, seconds: float) -> None:
        self.seconds += seconds


class _TimedRequest:
    def __init__(self, request: Any, add: Callable[[float], None]) -> None:
        self._request, self._add = request, add

    def infer(self) -> None:
        started = time.perf_counter()
        self._request.infer()
        self._add(time.perf_counter() - started)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._request, name)
