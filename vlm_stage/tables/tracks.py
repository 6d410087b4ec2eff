"""Rules on one straight line, taken together."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from vlm_stage.tables.rules import Rule

_COVERED = 0.6  # of an edge must be drawn to part two cells


@dataclass(frozen=True, slots=True)
class Track:
    """Rules on one straight line: where it is, and the stretches that are drawn."""

    position: float
    stretches: tuple[tuple[float, float], ...]

    def covers(self, start: float, end: float) -> bool:
        """Whether enough is drawn between two places to part the cells on both sides."""
        drawn = sum(max(0.0, min(end, b) - max(start, a)) for a, b in self.stretches)
        return drawn >= _COVERED * (end - start)


def find_tracks(rules: Sequence[Rule], near: float) -> list[Track]:
    """The tracks of rules, which are sorted by position and no further than `near` pixels apart in one."""
    groups: list[list[Rule]] = []
    for rule in rules:
        if groups and rule.position - groups[-1][-1].position <= near:
            groups[-1].append(rule)
        else:
            groups.append([rule])
    return [_joined_rules(group) for group in groups]


def _joined_rules(rules: Sequence[Rule]) -> Track:
    length = sum(rule.length for rule in rules)
    position = sum(rule.position * rule.length for rule in rules) / length
    return Track(position, merged((rule.start, rule.end) for rule in rules))


def merged(stretches: Iterable[tuple[float, float]]) -> tuple[tuple[float, float], ...]:
    """Stretches that meet as one, in order."""
    out: list[tuple[float, float]] = []
    for start, end in sorted(stretches):
        if out and start <= out[-1][1]:
            out[-1] = out[-1][0], max(out[-1][1], end)
        else:
            out.append((start, end))
    return tuple(out)
