"""What is loaded when it is first needed, since most processes never need it."""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

ModelT = TypeVar("ModelT")


class OnFirstUse(Generic[ModelT]):
    """A model that the first `get` loads; others wait for it. After a failure the next `get` tries anew."""

    def __init__(self, load: Callable[[], ModelT]) -> None:
        self._load = load
        self._loading = threading.Lock()
        self._loaded: ModelT | None = None

    def get(self) -> ModelT:
        """The model, loaded. Raises what loading raises."""
        with self._loading:
            if self._loaded is None:
                self._loaded = self._load()
            return self._loaded
