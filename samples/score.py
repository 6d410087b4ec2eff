"""`python -m samples.score PRED.md TRUTH.json`: how near a document's Markdown comes to its ground truth.

Prints one line of JSON: `text_edit` (0 is best) of the text outside tables, `table_teds` and `table_teds_s`
(1 is best; `_s` looks at the structure only) over the truth's tables, each paired with at most one predicted
table.
"""

import argparse
import json
from dataclasses import asdict, dataclass
from pathlib import Path

import msgspec
from rapidfuzz.distance import Levenshtein

from samples.plain_text import plain
from samples.table_trees import Node, likeness, split_tables, tree_of_html


class Truth(msgspec.Struct, frozen=True):
    """What of a truth file is compared: the text outside tables, and the tables as HTML."""

    text: str
    tables: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Score:
    """The figures of one document; the table figures are None where the truth has no table."""

    text_edit: float
    table_teds: float | None
    table_teds_s: float | None
    tables: int
    tables_pred: int


def text_edit(markdown: str, truth_text: str) -> float:
    """Levenshtein distance of the words over the length of the longer text, 0 (the same) to 1."""
    return Levenshtein.normalized_distance(plain(markdown), plain(truth_text))


def teds(pred_html: str, truth_html: str, structure_only: bool = False) -> float:
    """TEDS of two HTML tables, 0 to 1 (the same)."""
    return likeness(tree_of_html(pred_html), tree_of_html(truth_html), structure_only=structure_only)


def paired(predicted: list[Node], true: list[Node]) -> list[Node | None]:
    """For each true table the predicted one that goes with it, the likest pairs first, or None."""
    ranked = sorted(
        ((likeness(p, t), i, j) for i, p in enumerate(predicted) for j, t in enumerate(true)), reverse=True
    )
    partners: dict[int, int] = {}
    for _, i, j in ranked:
        if j not in partners and i not in partners.values():
            partners[j] = i
    return [predicted[partners[j]] if j in partners else None for j in range(len(true))]


def mean_likeness(pairs: list[tuple[Node | None, Node]], *, structure_only: bool) -> float | None:
    """The mean TEDS of (predicted, true) tables, one that is missing counting as 0; None without tables."""
    if not pairs:
        return None
    values = [likeness(p, t, structure_only=structure_only) if p else 0.0 for p, t in pairs]
    return sum(values) / len(values)


def score(markdown: str, truth: Truth) -> Score:
    """Compares a document's Markdown with its truth.

    Where the truth has no table, what was predicted as one counts as text.
    """
    predicted, rest = split_tables(markdown)
    true = [tree_of_html(source) for source in truth.tables]
    pairs = list(zip(paired(predicted, true), true, strict=True))
    return Score(
        text_edit(rest if true else markdown, truth.text),
        mean_likeness(pairs, structure_only=False),
        mean_likeness(pairs, structure_only=True),
        len(true),
        len(predicted),
    )


def read_truth(path: Path) -> Truth:
    """Reads a `.truth.json` of the samples."""
    return msgspec.json.decode(path.read_bytes(), type=Truth)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m samples.score", description=__doc__)
    parser.add_argument("pred", type=Path)
    parser.add_argument("truth", type=Path)
    options = parser.parse_args()
    print(json.dumps(asdict(score(options.pred.read_text(encoding="utf-8"), read_truth(options.truth)))))


if __name__ == "__main__":
    main()
