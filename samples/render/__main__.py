"""`python -m samples.render [NAME...]` draws the sample documents anew (needs the Noto fonts).

`python -m samples.render --pages N --out FILE` writes a PDF of N pages for load tests (needs none).
"""

import argparse
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from samples.render import contract, invoice, newsletter, paper, quotation, tables_page, vertical
from samples.render.degrade import Scan
from samples.render.expected import write_expected
from samples.render.files import write_document
from samples.render.fonts import MissingFontError
from samples.render.load import DOCUMENTS, load_pdf
from samples.render.sheet import Sheet


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a document is made: what draws it, how its scan is degraded, and which files it gets."""

    draw: Callable[[], tuple[Sheet, ...]]
    scan: Scan
    as_pdf: bool
    with_markdown: bool = False


RECIPES = {
    "contract": Recipe(contract.draw, Scan(11, 0.5), as_pdf=True, with_markdown=True),
    "paper": Recipe(paper.draw, Scan(23, -0.6), as_pdf=True),
    "invoice": Recipe(invoice.draw, Scan(31, 0.7), as_pdf=True),
    "tables": Recipe(tables_page.draw, Scan(47, -0.4), as_pdf=False),
    "vertical": Recipe(vertical.draw, Scan(59, 0.4), as_pdf=False),
    "newsletter": Recipe(newsletter.draw, Scan(61, -0.5), as_pdf=False),
    "quotation": Recipe(quotation.draw, Scan(71, 0.5), as_pdf=False),
}


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="python -m samples.render", description=__doc__)
    made.add_argument("names", nargs="*", metavar="NAME", help=f"any of {', '.join(RECIPES)}; default all")
    made.add_argument("--folder", type=Path, default=DOCUMENTS, help="where to write the documents")
    made.add_argument(
        "--pages", type=int, help="write a PDF of that many pages instead (needs --out, no fonts)"
    )
    made.add_argument("--out", type=Path, help="where to write that PDF")
    return made


def draw_all(names: Iterable[str], folder: Path) -> None:
    for name in names:
        recipe = RECIPES[name]
        sheets = recipe.draw()
        write_document(folder, name, sheets, recipe.scan, as_pdf=recipe.as_pdf)
        if recipe.with_markdown:
            write_expected(folder / f"{name}.expected.md", tuple(sheet.truth() for sheet in sheets))


def main() -> int:
    arguments = parser()
    options = arguments.parse_args()
    unknown = set(options.names) - set(RECIPES)
    if unknown:
        arguments.error(f"no such document: {', '.join(sorted(unknown))}")
    if (options.pages is None) != (options.out is None):
        arguments.error("--pages and --out go together")
    try:
        if options.pages is None:
            draw_all(options.names or RECIPES, options.folder)
        else:
            options.out.write_bytes(load_pdf(options.pages))
    except (MissingFontError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
