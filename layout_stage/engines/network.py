"""The seam between what networks mean and what runs them."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from numpy.typing import NDArray


class Network(Protocol):
    """A loaded network. It may run in several threads at once."""

    @property
    def input_names(self) -> tuple[str, ...]:
        """What its inputs are called, in their order."""
        ...

    @property
    def takes_batches(self) -> bool:
        """Whether the first dimension of every input is left open."""
        ...

    def run(self, inputs: Mapping[str, NDArray[Any]]) -> Sequence[NDArray[Any]]:
        """The outputs in their order; they stay as they are, whatever else is run."""
        ...


LoadNetwork = Callable[[Path], Network]
"""Loads the network in a file; raises ModelMissing, DeviceMissing or InvalidConfig."""
