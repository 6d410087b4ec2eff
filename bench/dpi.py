"""`python -m bench.dpi [--json FILE]`: at which resolution small print is still read, and what that costs.

Draws pages of Chinese and English text, 5 to 12 points, at each resolution, as PDFium would (needs
fonts-noto-cjk and fonts-noto-core), parses them, and prints the share of wrong characters by size, and the
seconds. Needs no peer: it chooses a default, and claims no speed.
"""

import argparse
import json
import time
from io import BytesIO
from pathlib import Path

from PIL import Image, ImageDraw

from arcscribe.client import Client
from arcscribe.tools.engines import DEFAULT_ENGINE, local_settings
from arcscribe.tools.local_service import LocalService
from samples.render.fonts import Face, load
from samples.score import text_edit

RESOLUTIONS = (100, 120, 150, 175, 200, 250, 300)
SIZES = (5, 6, 7, 8, 10, 12)
PAGE_INCHES = (8.27, 11.69)
CHINESE = (
    "根据《中华人民共和国民法典》及有关法律、法规的规定，甲乙双方本着平等自愿、诚实信用的原则，",
    "就甲方向乙方采购工业检测设备及相关服务事宜，经协商一致，订立本合同，以资共同遵守。",
    "乙方逾期交货的，每逾期一日，应按逾期交付货物价款的千分之一向甲方支付违约金，即77,740.00元。",
)
ENGLISH = (
    "A municipal archive with two hundred metres of shelves plans its campaign for 24 months,",
    "at a cost of 1,286.40 per metre; every folder is opened, flattened and counted (see § 3.2).",
    "Invoices are payable within 30 days of receipt, net, to the account named overleaf: B-0417/26.",
)


def page(size: float, dpi: int) -> bytes:
    """A PNG file of an A4 page, all of its text in one size (points), as it looks at a resolution."""
    width, height = (round(side * dpi) for side in PAGE_INCHES)
    sheet = Image.new("L", (width, height), 255)
    pen = ImageDraw.Draw(sheet)
    pixels = size * dpi / 72
    y = 0.08 * height
    for face, lines in ((Face.SONG, CHINESE), (Face.SERIF, ENGLISH)):
        for line in lines:
            pen.text((0.07 * width, y), line, fill=0, font=load(face, pixels))
            y += 1.8 * pixels
        y += 2 * pixels
    out = BytesIO()
    sheet.save(out, "PNG")
    return out.getvalue()


def measure() -> dict[int, dict[str, float]]:
    """By resolution: the error at each size, and the seconds for all sizes."""
    truth = "\n\n".join(("".join(CHINESE), " ".join(ENGLISH)))
    figures: dict[int, dict[str, float]] = {}
    with LocalService(local_settings(DEFAULT_ENGINE)) as service, Client(service.address) as client:
        client.parse(page(SIZES[-1], RESOLUTIONS[-1]))
        for dpi in RESOLUTIONS:
            pages = {size: page(size, dpi) for size in SIZES}
            started = time.perf_counter()
            errors = {
                f"{size} pt": text_edit(client.parse(png).markdown, truth) for size, png in pages.items()
            }
            figures[dpi] = errors | {"seconds": time.perf_counter() - started}
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.dpi", description=__doc__)
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    arguments = parser.parse_args()
    figures = measure()
    for dpi, row in figures.items():
        print(f"{dpi} dpi:", ", ".join(f"{name} {value:.4f}" for name, value in row.items()))
    if arguments.json:
        arguments.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
