"""How well the project's samples are read, whose truth is exact: clean, and as degraded scans."""

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from rapidfuzz import fuzz
from rapidfuzz.distance import Levenshtein

from arcscribe.async_client import Parsed
from arcscribe.client import Client
from arcscribe.tools.local_service import LocalService
from samples.score import read_truth, score

SAMPLES = Path(__file__).parents[2] / "samples" / "documents"
CLEAN = (
    "contract.pdf",
    "invoice.pdf",
    "newsletter.png",
    "paper.pdf",
    "quotation.png",
    "tables.png",
    "vertical.png",
)
SCANS = (
    "contract-scan.pdf",
    "invoice-scan.jpg",
    "newsletter-scan.jpg",
    "paper-scan.jpg",
    "quotation-scan.jpg",
    "tables-scan.jpg",
    "vertical-scan.jpg",
)
LEFT_OUT = {"header", "footer", "number", "seal", "table", "chart", "image", "footnote"}
OPENING = 20
"""Characters at a block's beginning that tell where it stands."""


@pytest.fixture(scope="module")
def client(service: LocalService) -> Iterator[Client]:
    with Client(service.address, timeout_seconds=120) as made:
        yield made


@cache
def parsed(client: Client, name: str) -> Parsed:
    return client.parse(SAMPLES / name)


def truth_path(name: str) -> Path:
    return SAMPLES / f"{Path(name).stem.removesuffix('-scan')}.truth.json"


@pytest.mark.parametrize(
    ("name", "most"), [*((name, 0.01) for name in CLEAN), *((name, 0.03) for name in SCANS)]
)
def test_text_and_tables_are_as_right_as_promised_and_no_line_is_lost(
    client: Client, name: str, most: float
) -> None:
    result = parsed(client, name)
    found = score(result.markdown, read_truth(truth_path(name)))
    assert found.text_edit <= most
    assert found.table_teds is None or found.table_teds >= 0.97
    assert result.assembled.total.lost == 0


@pytest.mark.parametrize("name", [*CLEAN, *SCANS])
def test_blocks_come_in_reading_order(client: Client, name: str) -> None:
    text = _squeezed(parsed(client, name).markdown)
    places = []
    for page in json.loads(truth_path(name).read_text(encoding="utf-8"))["pages"]:
        for block in page["blocks"]:
            opening = "" if block["label"] in LEFT_OUT else _squeezed(block["text"])[:OPENING]
            if len(opening) == OPENING:
                found = fuzz.partial_ratio_alignment(opening, text, score_cutoff=80)
                assert found is not None, f"{opening} is not in the Markdown"
                places.append(found.dest_start)
    assert len(places) > 3
    assert places == sorted(places)


def test_the_contract_has_its_title_levels(client: Client) -> None:
    expected = (SAMPLES / "contract.expected.md").read_text(encoding="utf-8")
    assert _headings(parsed(client, "contract.pdf").markdown) == _headings(expected)


def test_the_contract_keeps_its_signature_lines_apart_and_the_seal_among_them(client: Client) -> None:
    markdown = parsed(client, "contract.pdf").markdown
    lines = [line.strip() for line in markdown.splitlines()]
    signatures = [
        line for line in lines if line.startswith(("甲方（盖章）", "授权代表", "签订", "乙方（盖章）"))
    ]
    assert [line.partition("：")[0] for line in signatures] == [
        "甲方（盖章）",
        "授权代表",
        "签订日期",
        "签订地点",
        "乙方（盖章）",
        "授权代表",
        "签订日期",
        "签订地点",
    ]
    seal = next(number for number, line in enumerate(lines) if line.startswith("![seal"))
    assert seal > lines.index(signatures[0])


@pytest.mark.parametrize(
    ("name", "seals"),
    [
        ("contract", ["临江云岭精密仪器有限公司合同专用章"]),
        (
            "quotation",
            [
                "南浦衡光光学设备有限公司业务专用章",
                "南浦衡光光学设备有限公司91440700MA5HG0126X发票专用章",
            ],
        ),
    ],
)
@pytest.mark.parametrize("is_scan", [False, True])
def test_seals_are_read_from_the_ring_inwards(
    client: Client, name: str, seals: list[str], is_scan: bool
) -> None:
    (file,) = (file for file in (SCANS if is_scan else CLEAN) if file.startswith(name))
    found = re.findall(r"!\[seal: (.*?)\]", parsed(client, file).markdown)
    assert len(found) == len(seals)
    for said, text in zip(found, seals, strict=True):
        assert Levenshtein.normalized_distance(_squeezed(said), text) <= 0.15


def test_running_headers_and_page_numbers_are_left_out(client: Client) -> None:
    markdown = parsed(client, "contract.pdf").markdown
    assert "合同编号" not in markdown
    assert "第1页" not in _squeezed(markdown)


def _squeezed(text: str) -> str:
    return re.sub(r"[\s#*\\]|-$", "", text)


def _headings(markdown: str) -> list[tuple[str, str]]:
    found = re.findall(r"^(#+) (.*)$", markdown, flags=re.MULTILINE)
    return [(level, _squeezed(text)) for level, text in found]
