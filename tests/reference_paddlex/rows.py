"""What the test networks see on every page: boxes that give each step of post-processing something to do."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Shape:
    """The mask of a row within its box, in the box's own units: -1/2 to 1/2 each way.

    A band across the box, turned by `slant`, without a corner at the bottom right, or an ellipse.
    """

    slant: float = 0.0
    breadth: float = 1.0
    notch: float = 1.0
    ellipse: float = 0.0


WHOLE = Shape()


@dataclass(frozen=True, slots=True)
class Row:
    """One box; its sides are parts of the page's width and height."""

    label: str
    score: float
    box: tuple[float, float, float, float]
    shape: Shape = WHOLE


_TILTED, _CORNER, _ROUND = Shape(slant=0.4, breadth=0.5), Shape(notch=0.1), Shape(ellipse=4.0)

_ROWS = (
    Row("doc_title", 0.90, (0.10, 0.03, 0.90, 0.08)),
    Row("text", 0.85, (0.08, 0.12, 0.48, 0.30), _CORNER),
    Row("text", 0.80, (0.085, 0.122, 0.485, 0.305)),  # the same again
    Row("paragraph_title", 0.75, (0.08, 0.31, 0.30, 0.34)),
    Row("text", 0.70, (0.08, 0.31, 0.30, 0.3405)),  # nearly the same, of another class
    Row("doc_title", 0.58, (0.08, 0.3102, 0.30, 0.34)),
    Row("image", 0.80, (0.52, 0.12, 0.92, 0.40), Shape(slant=0.2)),
    Row("text", 0.60, (0.55, 0.15, 0.70, 0.20), _TILTED),  # within a picture
    Row("formula", 0.66, (0.10, 0.36, 0.45, 0.42)),
    Row("display_formula", 0.66, (0.10, 0.36, 0.45, 0.42)),
    Row("formula_number", 0.62, (0.42, 0.37, 0.46, 0.41)),
    Row("text", 0.55, (0.09, 0.355, 0.46, 0.425)),  # round a formula
    Row("inline_formula", 0.52, (0.15, 0.15, 0.25, 0.17)),
    Row("table", 0.90, (0.08, 0.45, 0.48, 0.62), Shape(slant=0.05)),
    Row("text", 0.56, (0.10, 0.47, 0.40, 0.60)),  # within a table
    Row("chart", 0.70, (0.52, 0.45, 0.92, 0.62), _CORNER),
    Row("figure_title", 0.65, (0.52, 0.625, 0.92, 0.66)),
    Row("seal", 0.55, (0.70, 0.56, 0.85, 0.66), _ROUND),
    Row("image", 0.60, (-0.01, -0.01, 1.01, 1.01)),  # the page
    Row("text", 0.64, (0.50, 0.70, 0.505, 0.72)),  # a sliver
    Row("header", 0.57, (0.10, -0.02, 0.50, 0.02)),  # over the page's edges
    Row("number", 0.60, (0.90, 0.94, 1.03, 0.98)),
    Row("footer", 0.55, (0.10, 0.93, 0.50, 0.97), _TILTED),
    Row("reference", 0.60, (0.08, 0.66, 0.48, 0.90)),
    Row("reference_content", 0.58, (0.09, 0.67, 0.47, 0.75), _TILTED),
    Row("aside_text", 0.50, (0.01, 0.30, 0.05, 0.70)),
    Row("table", 0.70, (0.50, 0.70, 0.95, 0.90)),
    Row("image", 0.60, (0.52, 0.72, 0.93, 0.88)),  # within a table
    Row("text", 0.52, (0.51, 0.71, 0.94, 0.89), Shape(slant=0.6, breadth=0.8)),
)


def rows_for(labels: Sequence[str]) -> tuple[Row, ...]:
    """The rows that a model of these labels can give; all are its own where it has but one label."""
    if len(labels) == 1:
        return tuple(Row(labels[0], row.score, row.box) for row in _ROWS)
    return tuple(row for row in _ROWS if row.label in labels)
