"""The engine paddleocr-vl in its real process.

With a toy of random weights, whose words mean nothing, and with one that was trained.
"""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image, ImageDraw, ImageFont
from rapidfuzz.distance import Levenshtein

from arcscribe.client import Client
from arcscribe.errors import StageUnavailable
from arcscribe.events import PageDone, ParseOptions, RegionDone, RegionPartial
from arcscribe.tools.engines import Draft, EngineChoice, EngineName, local_settings
from arcscribe.tools.local_service import LocalService, is_serving
from arcscribe.tools.stage_process import StageCommand, StageProcess
from arcscribe.types import Block, RecognizeOptions, RegionKind, RegionText
from samples.checkpoints.checkpoint import write_checkpoint
from tests.waiting import wait_until

OPTIONS = ParseOptions(pages="1", recognize=RecognizeOptions(partial_text=True, max_new_tokens=24))


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A converted model."""
    folder = tmp_path_factory.mktemp("toy")
    write_checkpoint(folder / "checkpoint")
    convert(folder / "checkpoint", folder / "model")
    return folder / "model"


def convert(checkpoint: Path, model: Path) -> None:
    command = [sys.executable, "-m", "arcscribe.tools", "models", "convert", str(checkpoint)]
    subprocess.run(
        [*command, "--precision", "fp32", "--out", str(model)], check=True, capture_output=True, timeout=120
    )


@pytest.fixture(scope="module")
def drafting(model_root: Path, toy: Path) -> Iterator[LocalService]:
    """The four processes: the embedded models, the toy, and drafts."""
    choice = EngineChoice(EngineName.PADDLEOCR_VL, str(toy), draft=Draft.PP_OCR)
    with LocalService(local_settings(choice)) as service:
        yield service


def blocks_of(page: PageDone) -> dict[int, RegionText]:
    """What was read, by region."""
    texts = {block.region.id: block.result for block in page.page.blocks if is_read(block)}
    return {region: result for region, result in texts.items() if isinstance(result, RegionText)}


def is_read(block: Block) -> bool:
    return block.region.kind not in {RegionKind.IMAGE, RegionKind.HEADER_IMAGE, RegionKind.FOOTER_IMAGE}


def test_regions_are_read_by_it_and_told_of_while_they_are(drafting: LocalService, samples: Path) -> None:
    with Client(drafting.address) as client:
        events = list(client.stream(samples / "contract.pdf", OPTIONS))
    (page,) = [event for event in events if isinstance(event, PageDone)]
    texts = blocks_of(page)
    assert len(texts) > 10
    assert {text.engine for text in texts.values()} == {"paddleocr-vl"}
    assert all(0 < text.generated_tokens <= 24 for text in texts.values())
    assert {"drafts", "reading"} <= {name for name, _ in page.page.timings_ms}
    told = [event.region_id for event in events if isinstance(event, RegionPartial)]
    done = [event.block.region.id for event in events if isinstance(event, RegionDone)]
    assert set(told) & set(done)


def test_drafts_change_nothing_of_what_is_read(drafting: LocalService, samples: Path, tmp_path: Path) -> None:
    layout, vlm = (drafting.stages[name].command.address for name in ("layout_stage", "vlm_stage"))
    settings = {"layout": {"address": layout}, "vlm": {"address": vlm}}
    address = f"unix:{tmp_path}/orchestrator.sock"
    stage = StageProcess(StageCommand("orchestrator", address, settings), tmp_path)
    try:
        wait_until(lambda: is_serving(address), 60)
        pages = []
        for where in (address, drafting.address):
            with Client(where) as client:
                events = client.stream(samples / "contract.pdf", OPTIONS)
                pages += [event for event in events if isinstance(event, PageDone)]
    finally:
        stage.stop()
    without, with_drafts = pages
    assert "drafts" not in dict(without.page.timings_ms)
    plain, drafted = blocks_of(without), blocks_of(with_drafts)
    assert plain.keys() == drafted.keys()
    assert {region: text.text for region, text in plain.items()} == {
        region: text.text for region, text in drafted.items()
    }


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        (EngineChoice(EngineName.PADDLEOCR_VL, "absent-int8"), "absent-int8; arcscribe models list"),
        (EngineChoice(EngineName.PADDLEOCR_VL, "{toy}", ("CPU", "GPU.7")), "no device GPU.7; it sees: "),
    ],
)
def test_without_its_model_or_a_device_it_does_not_start(
    model_root: Path, toy: Path, choice: EngineChoice, words: str
) -> None:
    named = EngineChoice(choice.engine, choice.model.replace("{toy}", str(toy)), choice.devices)
    with pytest.raises(StageUnavailable, match=words), LocalService(local_settings(named)):
        pass


@pytest.fixture(scope="module")
def reading(
    model_root: Path, samples: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LocalService]:
    """The processes with the small model that was trained to read amounts and dates."""
    folder = tmp_path_factory.mktemp("reader") / "model"
    convert(samples.parent / "checkpoints" / "reader", folder)
    with LocalService(local_settings(EngineChoice(EngineName.PADDLEOCR_VL, str(folder)))) as service:
        yield service


def test_a_page_of_amounts_is_read_by_the_model_that_can(reading: LocalService, tmp_path: Path) -> None:
    texts = ["4,648.25", "1944-05-30", "-792.79", "9,314.80", "12.08.2019", "77,031.45"]
    page = Image.new("RGB", (1000, 1400), "white")
    for number, text in enumerate(texts):
        ImageDraw.Draw(page).text(
            (150, 300 + 150 * number), text, fill="black", font=ImageFont.load_default(22)
        )
    page.save(tmp_path / "amounts.png")
    with Client(reading.address) as client:
        parsed = client.parse(tmp_path / "amounts.png")
    # Crops of a page have wider margins and more contrast than the lines that the model was trained on.
    read = parsed.markdown.split()
    assert len(read) == len(texts)
    assert len(set(read) & set(texts)) >= len(texts) / 2
    assert Levenshtein.normalized_similarity("\n".join(read), "\n".join(texts)) > 0.9
