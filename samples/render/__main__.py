"""`python -m samples.render [NAME...]` draws the sample documents anew (needs the Noto fonts)."""

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from samples.render import contract
from samples.render.degrade import Scan
from samples.render.files import write_document
from samples.render.fonts import MissingFontError
from samples.render.sheet import Sheet

DOCUMENTS = Path(__file__).parents[1] / "documents"


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a document is made: what draws it, how its scan is degraded, and its file type."""

    draw: Callable[[], tuple[Sheet, ...]]
    scan: Scan
    as_pdf: bool


RECIPES = {
    "contract": Recipe(contract.draw, Scan(11, 0.5), as_pdf=True),
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m samples.render", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"any of {', '.join(RECIPES)}; default all")
    parser.add_argument("--folder", type=Path, default=DOCUMENTS, help="where to write")
    options = parser.parse_args()
    unknown = set(options.names) - set(RECIPES)
    if unknown:
        parser.error(f"no such document: {', '.join(sorted(unknown))}")
    try:
        for name in options.names or RECIPES:
            recipe = RECIPES[name]
            write_document(options.folder, name, recipe.draw(), recipe.scan, as_pdf=recipe.as_pdf)
    except MissingFontError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
