"""`python -m bench.figures DOCUMENT [--embedded FILE] [--vlm FILE] [--soak FILE]`: figures in a document.

FILE is what `python -m bench.embedded --json FILE` wrote, or `bench.vlm`, or `bench.vlm_soak`. A document
marks the place of figures by two comments, `<!-- figures: NAME -->` and `<!-- /figures -->`.
"""

import argparse
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

SPEED = {
    "parse_over_rapidocr": "wall time of parsing 12 pages, `pp-ocrv6`, over rapidocr's for reading them",
    "tiny_over_rapidocr": "the same with `pp-ocrv6-tiny`",
    "startup_over_rapidocr": "time until all three processes are SERVING, over rapidocr's for loading",
    "peak_mb_20": "most memory of all processes together, 20 pages, MB",
    "peak_mb_200": "most memory of all processes together, 200 pages, MB",
}
"""What each key of the report means."""
VLM = {
    "batch16_over_sequential": "16 crops at once, over one after another with a stateful KV cache, same IR",
    "batch16_over_genai": "over openvino-genai's ContinuousBatchingPipeline, same decoder",
    "batch16_over_transformers": "over transformers' `generate` in float32, one after another",
    "batch16_over_no_cache": "over running the whole sequence for each token, same IR",
    "python_share_16": "share of a step of 16 crops outside the decoder's inference",
    "single_over_bound": "one crop, over memory bandwidth / bytes of weights",
    "perfect_draft_speedup": "one crop with a draft that is right, over none",
    "zero_draft_cost": "what a draft that is all wrong costs",
}
SOAK = {
    "warm_up_crops": "crops to warm up",
    "crops": "crops after that",
    "hours_worth": "hours that so many are worth",
    "rss_mb_per_1000_crops": "growth of resident memory for each 1,000 crops, MB",
    "rss_range_mb": "most that it held, less the least, MB",
    "peak_rss_mb": "most that it ever held, MB",
    "faults": "crops answered wrongly, twice or never",
}


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table; all columns but the first hold numbers."""
    titles = list(head)
    lines = [titles, ["---", *["---:"] * (len(titles) - 1)], *map(list, rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def figures_table(report: Mapping[str, Any], meanings: Mapping[str, str]) -> str:
    """Those of the report's figures that mean something."""
    rows = [(what, f"{report[key]:g}") for key, what in meanings.items() if key in report]
    return table(("what", "measured"), rows)


def drafts_table(report: Mapping[str, Any]) -> str:
    """Speed with drafts of some accuracy, over none."""
    curve = report["draft_curve"]
    return table(
        ("tokens of the draft that are right", *(f"{share} %" for share in curve)),
        [("speed over none", *(f"{speed:.2f}" for speed in curve.values()))],
    )


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
    for name, meanings in (("embedded", SPEED), ("vlm", VLM), ("soak", SOAK)):
        parser.add_argument(f"--{name}", type=Path, help=f"the report that has {next(iter(meanings))}")
    arguments = parser.parse_args()
    if arguments.embedded:
        put_figures(arguments.document, "speed", figures_table(_report(arguments.embedded), SPEED))
    if arguments.vlm:
        report = _report(arguments.vlm)
        put_figures(arguments.document, "vlm", figures_table(report, VLM))
        put_figures(arguments.document, "drafts", drafts_table(report))
    if arguments.soak:
        put_figures(arguments.document, "soak", figures_table(_report(arguments.soak), SOAK))


def _report(path: Path) -> Mapping[str, Any]:
    return msgspec.json.decode(path.read_bytes(), type=dict[str, Any])


if __name__ == "__main__":
    main()
