"""What the benchmark of the layout stage makes of what it measures."""

from dataclasses import dataclass, field

import pytest

from bench.layout import measure
from bench.layout_peers.measured import Measured, figures, speed_ratios, times


def turns(*seconds: float) -> list[Measured]:
    return [Measured(number, number / 2, 10) for number in seconds]


def test_a_ratio_is_the_median_of_rounds_and_over_one_where_ours_is_faster() -> None:
    ratios = speed_ratios(turns(1, 2, 4), {"onnxruntime": turns(2, 3, 20), "paddle": turns(0.5, 1, 2)})
    assert ratios == {"onnxruntime": 2.0, "paddle": 0.5}


def test_paddle_counts_by_the_fastest_way_it_ran() -> None:
    assert figures({"onnxruntime": 1.5, "paddle": 4.0, "paddle-onednn": 2.5}) == {
        "openvino_over_paddlex_ort": 1.5,
        "openvino_over_paddlex_paddle": 2.5,
    }


def test_a_side_that_did_not_run_has_no_figure() -> None:
    assert figures({"paddle": 3.0}) == {"openvino_over_paddlex_paddle": 3.0}


def test_times_are_of_a_page() -> None:
    assert times(turns(4, 6, 8), pages=2).seconds == 3.0
    assert times(turns(4, 6, 8), pages=2).outside == pytest.approx(1.5)


def test_what_a_peer_writes_is_read_as_it_was() -> None:
    measured = Measured(1.25, 1.125, 79)
    assert Measured.parsed(measured.line()) == measured


@dataclass
class FakeSide:
    """Notes its turns in a list that all sides share."""

    name: str
    log: list[str] = field(default_factory=list)

    def measure(self) -> Measured:
        self.log.append(self.name)
        return Measured(len(self.log), 0, 0)


def test_the_first_turn_of_each_side_is_not_counted_and_their_order_alternates() -> None:
    log: list[str] = []
    found = measure({name: FakeSide(name, log) for name in "ab"}, rounds=2, order="ab")
    assert "".join(log) == "baabba"
    assert [turn.seconds for turn in found["a"]] == [3, 6]
