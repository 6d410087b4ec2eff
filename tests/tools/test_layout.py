"""`arcscribe layout`: what it prints, writes and refuses."""

import json
import os
import sys
from pathlib import Path

import pytest

from arcscribe.async_client import Parsed
from arcscribe.document import AssembledMarkdown, Document, LineCounts, PageFailure, ParsedPage
from arcscribe.errors import InvalidOption, ModelMissing
from arcscribe.models import ModelStore
from arcscribe.tools.layout_models import layout_settings
from arcscribe.tools.layout_text import to_text
from arcscribe.tools.main import main
from arcscribe.types import (
    Block,
    Box,
    FinishReason,
    Region,
    RegionKind,
    RegionText,
    StageModel,
    TextFormat,
    TextLine,
)

UNREAD = RegionText("", TextFormat.NONE, FinishReason.STOP, "", "", 0.0)


def line(box: Box) -> TextLine:
    return TextLine(box, box.to_polygon(), 0.9)


def block(number: int, kind: RegionKind, label: str, box: Box, lines: int) -> Block:
    return Block(Region(number, kind, label, 0.875, box, lines=(line(box),) * lines), UNREAD)


PAGE = ParsedPage(
    3,
    1654,
    2339,
    90,
    (
        block(7, RegionKind.DOC_TITLE, "doc_title", Box(100.4, 50, 900, 120.6), 1),
        block(4, RegionKind.TABLE, "表\x1b[31m", Box(100, 2000, 1500, 2300), 12),
    ),
    layout_model=StageModel("openvino", "layout-cdla", "CPU"),
    timings_ms=(("layout", 40.2), ("fusion", 2.0)),
)


def parsed(*pages: ParsedPage) -> Parsed:
    assembled = AssembledMarkdown("", (), tuple(LineCounts() for _ in pages))
    return Parsed(Document("it.pdf", 9, pages), assembled, (), (), 1.0)


def test_regions_are_a_table_in_reading_order_of_which_a_terminal_obeys_nothing() -> None:
    assert to_text(parsed(PAGE)).decode().splitlines() == [
        "page 3: 1654 x 2339 pixels, turned by 90 degrees, by layout-cdla with openvino on CPU, 42 ms",
        "   kind       label      score  left   top  right  bottom  lines",
        "1  doc_title  doc_title   0.88   100    50    900     121      1",
        "2  table      表?[31m     0.88   100  2000   1500    2300     12",
    ]


def test_a_page_that_failed_says_why_and_others_follow() -> None:
    failed = ParsedPage(1, 0, 0, 0, (), PageFailure("INVALID_DOCUMENT", "it is damaged"))
    first, _, second, *_ = to_text(parsed(failed, PAGE)).decode().splitlines()
    assert first == "page 1: failed, INVALID_DOCUMENT: it is damaged"
    assert second.startswith("page 3: ")


def test_a_folder_goes_to_the_stage_with_its_whole_path_and_a_name_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("mine", "blocks"):
        (tmp_path / name).mkdir()
    store = ModelStore(tmp_path / "store")
    assert layout_settings(store, "mine", "blocks") == {
        "model": str(tmp_path / "mine"),
        "block_model": str(tmp_path / "blocks"),
    }
    assert layout_settings(store, "", "") == {}
    name = "pp-doclayout-v3"  # which no folder of that name replaces
    (tmp_path / name).mkdir()
    with pytest.raises(ModelMissing, match="run: arcscribe models pull pp-doclayout-v3"):
        layout_settings(store, name, "")
    monkeypatch.setattr(store, "folder", lambda _name: None)
    assert layout_settings(store, name, "") == {"model": name}


def test_a_folder_whose_name_is_no_text_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / os.fsdecode(b"model-\xff")
    folder.mkdir()
    with pytest.raises(InvalidOption, match="a name that is no text"):
        layout_settings(ModelStore(tmp_path / "store"), str(folder), "")


@pytest.mark.parametrize(
    ("model", "block_model", "words"),
    [
        ("absent", "", "--layout-model absent: neither a folder nor one of layout-cdla, pp-doclayout-plus-l"),
        ("pp-ocrv6-rec", "", "--layout-model pp-ocrv6-rec: that is a model for "),
        ("pp-docblocklayout", "", "that is a model for layout blocks"),
        ("layout-cdla", "pp-docblocklayout", "not with layout-cdla"),
    ],
)
def test_what_is_no_layout_model_is_refused_before_anything_starts(
    model: str, block_model: str, words: str, tmp_path: Path
) -> None:
    with pytest.raises(InvalidOption, match=words):
        layout_settings(ModelStore(tmp_path), model, block_model)


@pytest.mark.parametrize("command", ["layout", "parse"])
def test_a_layout_model_is_not_for_a_service_that_runs_already(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "one.pdf").write_bytes(b"%PDF")
    arguments = [str(tmp_path / "one.pdf"), "--server", "localhost:1", "--layout-model", "pp-doclayout-v3"]
    monkeypatch.setattr(sys, "argv", ["arcscribe", command, *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 1
    assert capsys.readouterr().err == "error: --layout-model and --block-model are not for --server\n"


def test_json_is_that_of_parse() -> None:
    (page,) = json.loads(parsed(PAGE).to_json())["pages"]
    assert [(one["order"], one["kind"], one["text"], one["engine"]) for one in page["blocks"]] == [
        (1, "doc_title", "", ""),
        (2, "table", "", ""),
    ]
