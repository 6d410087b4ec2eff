"""`python -m bench.quality [--json FILE] [--readme README.md]`: how well the project's samples are read.

Parses every document in samples/documents, clean and degraded, through the three processes, and compares the
Markdown with the exact truth: `text_edit` (0 is best) of the text outside tables, and `table_teds` (1 is
best) over the tables, both as `samples.score` computes them. `lines_lost` counts the text lines that were
found and that nothing was read in.
"""

import argparse
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from arcscribe.client import Client
from arcscribe.tools.engines import EmbeddedEngine, local_settings
from arcscribe.tools.local_service import LocalService
from bench.figures import put_figures, table
from samples.score import read_truth, score

DOCUMENTS = Path(__file__).parents[1] / "samples" / "documents"
SCAN = "-scan"
TRUTH = ".truth.json"


@dataclass(frozen=True, slots=True)
class Figures:
    """What came of one document; `table_teds` is None where the truth has no table."""

    text_edit: float
    table_teds: float | None
    lines_lost: int


Report = Mapping[str, Mapping[str, Figures]]
"""Figures by document, by engine."""


def documents() -> tuple[Path, ...]:
    """Every sample that has a truth, the clean one and its scan."""
    files = sorted(DOCUMENTS.iterdir())
    return tuple(path for path in files if path.suffix not in {".json", ".md"} and truth_path(path).exists())


def truth_path(document: Path) -> Path:
    """A scan says what the clean document says."""
    return DOCUMENTS / f"{document.stem.removesuffix(SCAN)}{TRUTH}"


def measure(engines: Iterable[EmbeddedEngine]) -> Report:
    """The figures of all documents with each engine."""
    return {str(engine): measure_engine(engine) for engine in engines}


def measure_engine(engine: EmbeddedEngine) -> dict[str, Figures]:
    """The figures of all documents, by their names without the suffix."""
    with LocalService(local_settings(engine)) as service, Client(service.address) as client:
        return {path.stem: figures_of(client, path) for path in documents()}


def figures_of(client: Client, document: Path) -> Figures:
    """Parses one document and compares it with its truth."""
    parsed = client.parse(document)
    found = score(parsed.markdown, read_truth(truth_path(document)))
    teds = None if found.table_teds is None else round(found.table_teds, 4)
    return Figures(round(found.text_edit, 4), teds, parsed.assembled.total.lost)


def mean(values: Iterable[float | None]) -> float | None:
    """The mean of those that are there; None where there is none."""
    present = [value for value in values if value is not None]
    return sum(present) / len(present) if present else None


def tables(report: Report) -> str:
    """Two Markdown tables: each document with the first engine, and the means of all engines."""
    engine, figures = next(iter(report.items()))
    names = [name for name in figures if not name.endswith(SCAN)]
    rows = [(f"`{name}`", *_cells([figures[name]]), *_cells([figures[f"{name}{SCAN}"]])) for name in names]
    head = ("clean: text_edit", "table TEDS", "lines lost", "scan: text_edit", "table TEDS", "lines lost")
    means = [(f"`{name}`", *_cells(_clean(of)), *_cells(_scanned(of))) for name, of in report.items()]
    by_document = table((f"document, `{engine}`", *head), rows)
    return f"{by_document}\n\n{table(('mean of an engine', *head), means)}"


def _clean(figures: Mapping[str, Figures]) -> list[Figures]:
    return [of for name, of in figures.items() if not name.endswith(SCAN)]


def _scanned(figures: Mapping[str, Figures]) -> list[Figures]:
    return [of for name, of in figures.items() if name.endswith(SCAN)]


def _cells(figures: Iterable[Figures]) -> tuple[str, str, str]:
    """Mean text_edit, mean TEDS, and all lost lines, as text."""
    several = list(figures)
    edit, teds = mean(of.text_edit for of in several), mean(of.table_teds for of in several)
    lost = sum(of.lines_lost for of in several)
    return "-" if edit is None else f"{edit:.4f}", "-" if teds is None else f"{teds:.4f}", str(lost)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.quality", description=__doc__)
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    parser.add_argument("--readme", type=Path, help="put the tables into this file")
    parser.add_argument(
        "--engine",
        action="append",
        type=EmbeddedEngine,
        choices=list(EmbeddedEngine),
        help="one of the engines, several times for several; default: all",
    )
    arguments = parser.parse_args()
    report = measure(arguments.engine or list(EmbeddedEngine))
    shown = tables(report)
    print(shown)
    if arguments.json:
        plain = {engine: {name: asdict(of) for name, of in named.items()} for engine, named in report.items()}
        arguments.json.write_text(json.dumps(plain, indent=2) + "\n", encoding="utf-8")
    if arguments.readme:
        put_figures(arguments.readme, "quality", shown)


if __name__ == "__main__":
    main()
