"""`python -m bench.figures README.md --embedded FILE`: puts what was measured into a document.

FILE is what `python -m bench.embedded --json FILE` wrote. A document marks the place of figures by two
comments, `<!-- figures: NAME -->` and `<!-- /figures -->`.
"""

import argparse
import json
from collections.abc import Iterable, Mapping
from pathlib import Path

SPEED = {
    "parse_over_rapidocr": "wall time of parsing 12 pages, `pp-ocrv6`, over rapidocr's for reading them",
    "tiny_over_rapidocr": "the same with `pp-ocrv6-tiny`",
    "startup_over_rapidocr": "time until all three processes are SERVING, over rapidocr's for loading",
    "peak_mb_20": "most memory of all processes together, 20 pages, MB",
    "peak_mb_200": "most memory of all processes together, 200 pages, MB",
}
"""What each key of the report means."""


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table; all columns but the first hold numbers."""
    titles = list(head)
    lines = [titles, ["---", *["---:"] * (len(titles) - 1)], *map(list, rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def speed_table(report: Mapping[str, float]) -> str:
    """The figures of `bench.embedded` that are in the report."""
    rows = [(what, f"{report[key]:g}") for key, what in SPEED.items() if key in report]
    return table(("what", "measured"), rows)


def put_figures(path: Path, name: str, figures: str) -> None:
    """Replaces the figures of that name in a file.

    Raises:
        ValueError: the file has no place for them.
    """
    path.write_text(with_figures(path.read_text(encoding="utf-8"), name, figures), encoding="utf-8")


def with_figures(text: str, name: str, figures: str) -> str:
    """The text with what stands between the two marks of that name replaced.

    Raises:
        ValueError: a mark is not there.
    """
    start, end = f"<!-- figures: {name} -->", "<!-- /figures -->"
    before, _, rest = text.partition(start)
    _, found, after = rest.partition(end)
    if not found:
        raise ValueError(f"there is no {start} that {end} follows")
    return f"{before}{start}\n\n{figures}\n\n{end}{after}"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.figures", description=__doc__)
    parser.add_argument("document", type=Path)
    parser.add_argument("--embedded", type=Path, required=True, help="the report of bench.embedded")
    arguments = parser.parse_args()
    report = json.loads(arguments.embedded.read_text(encoding="utf-8"))
    put_figures(arguments.document, "speed", speed_table(report))


if __name__ == "__main__":
    main()
