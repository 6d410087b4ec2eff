"""`python -m bench.turns [--json FILE]`: how well pages are read that lie askew, turned or tilted.

Each sample's pages are turned by 90, 180 and 270 degrees and tilted by up to 5, on white paper as large as it
takes, and parsed through the three processes. `text_edit` (0 is best) and `table_teds` (1 is best) are those
of `bench.quality`, for the upright page and for the turned one; `worse` is by how much more text is wrong.
"""

import argparse
import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import cv2
import numpy as np
import pypdfium2
from PIL import Image

from arcscribe.client import Client
from arcscribe.tools.engines import DEFAULT_ENGINE, EmbeddedEngine, local_settings
from arcscribe.tools.local_service import LocalService
from arcscribe.types import RgbImage
from bench.quality import documents, truth_path
from samples.score import read_truth, score

ANGLES = (90.0, 180.0, 270.0, -5.0, -3.0, -1.0, 1.0, 3.0, 5.0)
"""Degrees clockwise."""
DPI = 200
"""What documents are rendered at, as the orchestrator does."""
WHITE = (255, 255, 255)

Rendered = Sequence[RgbImage]


@dataclass(frozen=True, slots=True)
class Reading:
    """What came of one document at one angle; `table_teds` is None where the truth has no table."""

    text_edit: float
    table_teds: float | None


@dataclass(frozen=True, slots=True)
class Turned:
    """A turned document beside itself upright."""

    document: str
    angle: float
    upright: Reading
    turned: Reading

    @property
    def worse(self) -> float:
        """By how much more of the text is wrong."""
        return round(self.turned.text_edit - self.upright.text_edit, 4)


def turned(image: RgbImage, angle: float) -> RgbImage:
    """A page turned clockwise by some degrees, on white paper that holds all of it."""
    if angle % 90 == 0:
        return np.ascontiguousarray(np.rot90(image, -int(angle // 90)))
    height, width = image.shape[:2]
    matrix = cv2.getRotationMatrix2D((width / 2, height / 2), -angle, 1.0)
    cosine, sine = abs(matrix[0, 0]), abs(matrix[0, 1])
    size = (int(np.ceil(width * cosine + height * sine)), int(np.ceil(width * sine + height * cosine)))
    matrix[0, 2] += (size[0] - width) / 2
    matrix[1, 2] += (size[1] - height) / 2
    drawn = cv2.warpAffine(image, matrix, size, flags=cv2.INTER_CUBIC, borderValue=WHITE)
    return np.asarray(drawn, np.uint8)


def rendered(path: Path) -> Rendered:
    """A document's pages."""
    if path.suffix != ".pdf":
        with Image.open(path) as picture:
            return [np.asarray(picture.convert("RGB"))]
    with pypdfium2.PdfDocument(path) as document:
        return [np.asarray(page.render(scale=DPI / 72).to_pil().convert("RGB")) for page in document]


def measure(client: Client, paths: Sequence[Path], angles: Sequence[float]) -> Iterator[Turned]:
    """Each document at each angle."""
    with tempfile.TemporaryDirectory() as folder:
        for path in paths:
            pages = rendered(path)
            upright = _read(client, path, pages, Path(folder))
            for angle in angles:
                askew = [turned(page, angle) for page in pages]
                yield Turned(path.stem, angle, upright, _read(client, path, askew, Path(folder)))


def _read(client: Client, document: Path, pages: Rendered, folder: Path) -> Reading:
    """What is read of a document's pages when they come as one TIFF file."""
    first, *rest = map(Image.fromarray, pages)
    scan = folder / "scan.tiff"
    first.save(scan, save_all=True, append_images=rest, dpi=(DPI, DPI))
    found = score(client.parse(scan).markdown, read_truth(truth_path(document)))
    teds = None if found.table_teds is None else round(found.table_teds, 4)
    return Reading(round(found.text_edit, 4), teds)


def report(results: Sequence[Turned]) -> Mapping[str, object]:
    """All figures, and the angle at which most text is lost."""
    rows = [{**asdict(result), "worse": result.worse} for result in results]
    worst = max(rows, key=lambda row: row["worse"], default=None)
    return {"worst": worst, "readings": rows}


def _line(result: Turned) -> str:
    angle, worse = f"{result.angle:+g} degrees", f"{result.worse:+.4f}"
    return f"{result.document}, {angle}: {worse}; upright {result.upright}, turned {result.turned}"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.turns", description=__doc__)
    parser.add_argument(
        "names", nargs="*", help="of samples, such as contract or contract-scan; default: all"
    )
    parser.add_argument(
        "--angle", type=float, action="append", help="degrees clockwise, several times for several"
    )
    parser.add_argument("--engine", type=EmbeddedEngine, default=DEFAULT_ENGINE, choices=list(EmbeddedEngine))
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    options = parser.parse_args()
    paths = [path for path in documents() if not options.names or path.stem in options.names]
    results = []
    with LocalService(local_settings(options.engine)) as service, Client(service.address) as client:
        for result in measure(client, paths, options.angle or ANGLES):
            results.append(result)
            print(_line(result), flush=True)
    if options.json:
        options.json.write_text(json.dumps(report(results), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
