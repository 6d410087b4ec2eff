"""Pages made flat: by a tiny network with UVDoc's input and output."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import openvino as ov
import pytest
from openvino import opset13 as ops

from arcscribe.errors import InferenceFailed, ModelMissing
from arcscribe.inference.openvino import OpenVinoSettings
from arcscribe.types import RgbImage
from layout_stage.analyzer import LayoutAnalyzer
from layout_stage.composing.cdla import CdlaComposer
from layout_stage.engines.load import load_analyzer, model_paths
from layout_stage.engines.unwarping_network import UnwarpingNetwork
from layout_stage.settings import LayoutSettings
from layout_stage.unwarping import unwarped_image, unwarping_input
from tests.layout_stage.networks import HEIGHT, WIDTH, SayingEngine, drawn
from tests.layout_stage.pages import line

ROWS = 5
ON_ITS_HEAD = (0.0, 0.0, 1.0, 0.0)


def picture(height: int, width: int) -> RgbImage:
    return np.random.default_rng(7).integers(0, 256, (height, width, 3), dtype=np.uint8)


def network(folder: Path, shape: list[int]) -> Path:
    """One that moves its input down by some rows."""
    page = ops.parameter(shape, np.float32, name="image")
    moved = ops.roll(page, np.array([ROWS], np.int64), np.array([2], np.int64))
    ov.save_model(ov.Model([moved], [page]), folder / "inference.xml", compress_to_fp16=False)
    return folder / "inference.xml"


def test_pixels_that_no_network_moves_are_what_they_were() -> None:
    image = picture(31, 17)
    np.testing.assert_array_equal(unwarped_image(unwarping_input(image)), image)


def test_the_network_is_given_blue_first() -> None:
    red = np.zeros((2, 2, 3), np.uint8)
    red[..., 0] = 255
    assert unwarping_input(red)[0, :, 0, 0].tolist() == [0, 0, 1]


@pytest.mark.parametrize("size", [(40, 30), (97, 120)])
def test_a_page_of_any_size_is_what_the_network_makes_of_it(tmp_path: Path, size: tuple[int, int]) -> None:
    unwarping = UnwarpingNetwork(network(tmp_path, [1, 3, -1, -1]), OpenVinoSettings())
    image = picture(*size)
    np.testing.assert_array_equal(unwarping.unwarp(image), np.roll(image, ROWS, axis=0))


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_page_that_is_no_numbers_has_failed_and_is_not_black(value: float) -> None:
    output = unwarping_input(picture(8, 8))
    output[0, 1, 2, 3] = value
    with pytest.raises(InferenceFailed, match="gave no number"):
        unwarped_image(output)


def test_a_network_for_another_input_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match="does not take a page of any size"):
        UnwarpingNetwork(network(tmp_path, [1, 3, 712, 488]), OpenVinoSettings())


def test_a_page_is_turned_upright_before_it_is_made_flat() -> None:
    page, given = drawn([line(100, 100, 600, 40)]), []

    def unwarp(image: RgbImage) -> RgbImage:
        given.append(image)
        return np.roll(image, ROWS, axis=0)

    engine = SayingEngine([line(100, 200, 600, 40)], orientations=ON_ITS_HEAD)
    layout = LayoutAnalyzer(engine, CdlaComposer(engine.detect_layout), unwarp).analyze(page)
    np.testing.assert_array_equal(given[0], page[::-1, ::-1])
    assert layout.unwarped is not None
    np.testing.assert_array_equal(layout.unwarped, np.roll(page[::-1, ::-1], ROWS, axis=0))
    assert (layout.rotation, layout.width, layout.height) == (180, WIDTH, HEIGHT)
    assert [name for name, _ in layout.timings_ms][:3] == ["orientation", "unwarping", "text_detection"]


def test_the_whole_stage_makes_pages_flat_where_a_model_is_named(model_root: Path, tmp_path: Path) -> None:
    settings = LayoutSettings(models=str(model_root))
    paths = replace(model_paths(settings), unwarping=network(tmp_path, [1, 3, -1, -1]))
    page = drawn([line(100, 200, 600, 40)])
    layout = load_analyzer(settings, paths).analyze(page)
    assert layout.unwarped is not None
    np.testing.assert_array_equal(layout.unwarped, np.roll(page, ROWS, axis=0))


def test_a_folder_without_a_network_is_told_as_such(model_root: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match="holds no inference"):
        model_paths(LayoutSettings(models=str(model_root), unwarping_model=str(tmp_path)))
