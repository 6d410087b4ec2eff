"""The cells that ruling lines draw."""

from collections.abc import Sequence
from itertools import pairwise, product

from arcscribe.types import Box
from vlm_stage.tables.rules import Rule, Rules
from vlm_stage.tables.structure import Cell, Structure, tiled
from vlm_stage.tables.text_rows import row_edges, text_rows
from vlm_stage.tables.tilt import TableGeometry
from vlm_stage.tables.tracks import Track, find_tracks, merged

_SAME = 0.35  # text heights between rules that are one
_ENDLESS = 1e9  # pixels: beyond any table


def find_lattice(table: TableGeometry, split_rows: bool = False) -> Structure | None:
    """The grid of the ruling lines; None where they do not draw one.

    A table open at its sides is closed at the ends of its lines. Text above or below is not part of it.

    Args:
        split_rows: whether rows of text part what no horizontal line parts, as in tables that have lines
            between columns only.
    """
    near = max(3.0, _SAME * table.text_height)
    rules = _meeting(table.rules, 2 * near)
    rows, columns = find_tracks(rules.horizontal, near), find_tracks(rules.vertical, near)
    if len(rows) < 2 or not columns:
        return None
    rows = _closed(rows, rules.vertical, near)
    columns = _closed(columns, rules.horizontal, near)
    if split_rows:
        rows = sorted([*rows, *_between_texts(table.boxes, rows)], key=lambda track: track.position)
    if len(columns) < 3 and len(rows) < 3:
        return None
    spans = _spans(rows, columns)
    edges = tuple(track.position for track in rows), tuple(track.position for track in columns)
    return Structure(*edges, tiled(len(rows) - 1, len(columns) - 1, spans))


def _between_texts(boxes: Sequence[Box], rows: Sequence[Track]) -> list[Track]:
    """Tracks between rows of text that no rule parts, drawn where no text is in their way."""
    tracks: list[Track] = []
    for above, below in pairwise(rows):
        held = [box for box in boxes if above.position < box.center[1] <= below.position]
        if not held:
            continue
        tracks.extend(_clear_track(edge, held) for edge in row_edges(text_rows(held))[1:-1])
    return tracks


def _clear_track(position: float, boxes: Sequence[Box]) -> Track:
    crossed = (
        (box.left, box.right)
        for box in boxes
        if box.top + box.height / 4 < position < box.bottom - box.height / 4
    )
    ends = [-_ENDLESS, *(end for stretch in merged(crossed) for end in stretch), _ENDLESS]
    return Track(position, tuple(zip(ends[::2], ends[1::2], strict=True)))


def _meeting(rules: Rules, near: float) -> Rules:
    """The rules that touch one of the other direction; others underline text or part open rows."""
    return Rules(
        tuple(a for a in rules.horizontal if any(_touch(a, b, near) for b in rules.vertical)),
        tuple(b for b in rules.vertical if any(_touch(a, b, near) for a in rules.horizontal)),
    )


def _touch(horizontal: Rule, vertical: Rule, near: float) -> bool:
    return (
        horizontal.start - near <= vertical.position <= horizontal.end + near
        and vertical.start - near <= horizontal.position <= vertical.end + near
    )


def _closed(tracks: list[Track], across: Sequence[Rule], near: float) -> list[Track]:
    """The tracks, and one at each side beyond which the crossing rules go on."""
    start, end = min(rule.start for rule in across), max(rule.end for rule in across)
    whole = ((-_ENDLESS, _ENDLESS),)
    before = [Track(start, whole)] if start < tracks[0].position - 2 * near else []
    after = [Track(end, whole)] if end > tracks[-1].position + 2 * near else []
    return [*before, *tracks, *after]


def _spans(rows: Sequence[Track], columns: Sequence[Track]) -> list[Cell]:
    """Places between which no line is drawn, as cells."""
    areas = [Box(c, r, c + 1, r + 1) for r, c in product(range(len(rows) - 1), range(len(columns) - 1))]
    bands = list(pairwise(track.position for track in rows))
    stripes = list(pairwise(track.position for track in columns))
    for r, c in product(range(len(bands)), range(len(stripes) - 1)):
        if not columns[c + 1].covers(*bands[r]):
            areas = _joined(areas, Box(c, r, c + 2, r + 1))
    for r, c in product(range(len(bands) - 1), range(len(stripes))):
        if not rows[r + 1].covers(*stripes[c]):
            areas = _joined(areas, Box(c, r, c + 1, r + 2))
    return [
        Cell(int(area.top), int(area.left), int(area.height), int(area.width))
        for area in areas
        if area.area > 1
    ]


def _joined(areas: list[Box], area: Box) -> list[Box]:
    """The areas with all those that the new one meets in one rectangle."""
    while meeting := [other for other in areas if other.intersection(area).area > 0]:
        areas = [other for other in areas if other not in meeting]
        for other in meeting:
            area = area.union(other)
        if all(area.intersection(other).area == 0 for other in areas):
            break
    return [*areas, area]
