"""`arcscribe layout` with its own processes."""

from pathlib import Path

from tests.e2e.command import nothing_left_behind, run


def test_regions_are_printed_and_drawn_and_nothing_is_read(
    model_root: Path, samples: Path, tmp_path: Path
) -> None:
    with nothing_left_behind():
        outcome = run("layout", samples / "contract.pdf", "--pages", "1", "--overlay", tmp_path)
    assert outcome.code == 0
    title, _, *regions = outcome.out.splitlines()
    assert title.startswith("page 1: 1654 x 2339 pixels, by layout_cdla with openvino on CPU")
    assert any(" doc_title " in region for region in regions)
    assert any(" table " in region for region in regions)
    assert "vlm_stage" not in outcome.err
    assert (tmp_path / "contract-page-0001.jpg").read_bytes().startswith(b"\xff\xd8")
