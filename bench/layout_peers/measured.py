"""What one turn of one side measures, and what all turns say."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True, slots=True)
class Measured:
    """Seconds for all pages, those of them within the network, and the regions found."""

    seconds: float
    network_seconds: float
    regions: int

    @classmethod
    def parsed(cls, line: str) -> "Measured":
        """What `line` wrote."""
        seconds, network, regions = line.split()
        return cls(float(seconds), float(network), int(regions))

    def line(self) -> str:
        """In one line, which `parsed` reads."""
        return f"{self.seconds} {self.network_seconds} {self.regions}"


@dataclass(frozen=True, slots=True)
class Times:
    """Medians of a side's turns: seconds a page, and those outside the network."""

    seconds: float
    outside: float


def speed_ratios(ours: Sequence[Measured], peers: Mapping[str, Sequence[Measured]]) -> dict[str, float]:
    """By peer, the median over rounds of its time over ours: over 1 means that ours is faster."""
    return {
        name: median(theirs.seconds / mine.seconds for mine, theirs in zip(ours, turns, strict=True))
        for name, turns in peers.items()
    }


def times(turns: Sequence[Measured], pages: int) -> Times:
    """A side's medians over its turns, each of which went through so many pages."""
    return Times(
        median(turn.seconds for turn in turns) / pages,
        median(turn.seconds - turn.network_seconds for turn in turns) / pages,
    )


def figures(ratios: Mapping[str, float]) -> dict[str, float]:
    """The report's own keys; Paddle counts by the fastest of its ways that ran."""
    paddle = [ratio for name, ratio in ratios.items() if name.startswith("paddle")]
    found = {"openvino_over_paddlex_ort": ratios["onnxruntime"]} if "onnxruntime" in ratios else {}
    return found | ({"openvino_over_paddlex_paddle": min(paddle)} if paddle else {})
