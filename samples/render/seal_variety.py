"""Seals of many sorts on scraps of paper, to measure how well they are read."""

import io
from dataclasses import dataclass, replace

import numpy as np
from PIL import Image, ImageDraw

from arcscribe.types import Box
from samples.render.degrade import Scan, scanned_jpeg
from samples.render.fonts import DPI, Face, load, millimetres
from samples.render.seal import Seal, stamp
from samples.render.sheet import BLACK

PLACES = ("临江", "南浦", "云州市", "青溪县", "衡光", "北江省", "东屏区", "海宁路", "石桥镇", "新川")
BRANDS = ("云岭", "衡光", "瑞和", "天启", "启明星", "中正", "宏达", "华信恒", "金桥", "四方")
TRADES = (
    "精密仪器",
    "光学设备",
    "建筑工程",
    "信息技术",
    "物业管理服务",
    "国际贸易",
    "医疗器械",
    "环境科技发展",
    "人力资源咨询",
    "机电安装工程",
)
ENDINGS = ("有限公司", "有限责任公司", "股份有限公司", "集团有限公司", "厂", "有限公司第一分公司")
FEET = ("合同专用章", "财务专用章", "发票专用章", "业务专用章", "检验专用章", "")
FACES = (Face.SONG_BOLD, Face.SONG, Face.HEI, Face.HEI_BOLD)
SIGNATURES = ("授权代表：沈知远", "签订日期：2025年3月18日", "签订地点：临江市青溪区")
TYPE = 3.7
"""Millimetres of the height of type below a seal."""
LETTERS = "0123456789ABCDEFGHJKLMNPQRTUWXY"
"""Of the numbers that companies pay taxes under, of 18 characters."""
SHORTEST, LONGEST = 8, 22
"""Characters of a name."""
MARGIN = 8
"""Millimetres of paper round a seal."""


@dataclass(frozen=True, slots=True)
class StampedPaper:
    """A seal on a scrap of paper: the image, the seal with its words, and its box in the image."""

    image: Image.Image
    seal: Seal
    box: Box


def company_name(rng: np.random.Generator) -> str:
    """An invented company of 8 to 22 characters."""
    while True:
        name = "".join(str(rng.choice(words)) for words in (PLACES, BRANDS, TRADES, ENDINGS))
        if rng.random() < 0.3:
            name = f"{rng.choice(PLACES)}{name}"
        if SHORTEST <= len(name) <= LONGEST:
            return name


def varied_seal(rng: np.random.Generator) -> Seal:
    """A round seal of 36 to 46 mm, or, one in five, an oval one with a number across its middle."""
    name = company_name(rng)
    face = FACES[rng.integers(len(FACES))]
    arc = float(np.clip(rng.uniform(12, 22) * len(name), 150, 285))
    if rng.random() < 0.2:
        digits = "".join(rng.choice(list(LETTERS), 18))
        seal = Seal(name, "发票专用章", middle=digits, diameter=40, aspect=0.75, face=face)
        return replace(seal, arc=min(arc, 225.0), letter=0.1)
    number = "".join(rng.choice(list(LETTERS[:10]), 13)) if rng.random() < 0.3 else ""
    foot = str(rng.choice(FEET))
    return Seal(
        name,
        foot,
        number=number,
        diameter=float(rng.uniform(36, 46)),
        face=face,
        arc=min(arc, 240.0) if number or foot else arc,
        letter=float(rng.uniform(0.1, 0.13)),
    )


def signature_paper(side: int, rng: np.random.Generator) -> Image.Image:
    """A square of white paper with the lines of black text that a seal is stamped over."""
    paper = Image.new("RGB", (side, side), "white")
    draw, font = ImageDraw.Draw(paper), load(Face.SONG, round(millimetres(TYPE)))
    for number, text in enumerate((f"甲方（盖章）：{company_name(rng)}", *SIGNATURES)):
        draw.text((side * 0.05, side * (0.26 + 0.14 * number)), text, BLACK, font)
    return paper


def varied_paper(
    seed: int, *, over_text: bool, scanned: bool, grey: bool = False, most_turn: float = 20.0
) -> StampedPaper:
    """One seal of the many, the same for the same seed.

    Args:
        seed: says which.
        over_text: whether it is stamped over a signature block.
        scanned: whether the paper comes as from a scanner, as JPEG of quality 60.
        grey: whether the scanner saw no colour.
        most_turn: degrees by which the seal may be turned either way.
    """
    rng = np.random.default_rng(seed)
    seal = varied_seal(rng)
    side = round(millimetres(seal.diameter + 2 * MARGIN))
    paper = signature_paper(side, rng) if over_text else Image.new("RGB", (side, side), "white")
    turn = float(rng.uniform(-most_turn, most_turn))
    box = stamp(paper, seal, (side / 2, side / 2), turn, opacity=float(rng.uniform(0.55, 0.95)))
    if scanned:
        scan = Scan(seed, float(rng.uniform(-1, 1)), blur=float(rng.uniform(0.5, 1.1)), noise=5.0)
        paper = Image.open(io.BytesIO(scanned_jpeg(paper, scan, DPI))).convert("RGB")
    if grey:
        paper = paper.convert("L").convert("RGB")
    return StampedPaper(paper, seal, box)
