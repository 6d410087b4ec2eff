from dataclasses import replace

from layout_stage.detection.detection_settings import MergeMode
from layout_stage.detection.inference_config import read_inference_config
from layout_stage.detection.model_defaults import default_settings
from tests.layout_stage.detection.reference import FIXTURES


def test_the_threshold_of_a_model_in_no_pipeline_is_its_own() -> None:
    config = replace(read_inference_config(FIXTURES / "l"), name="my-layout", draw_threshold=0.35)
    settings = default_settings(config)
    assert (settings.threshold, settings.nms, settings.merge) == (0.35, True, MergeMode.LARGE)


def test_only_models_that_predict_order_drop_overlapping_things() -> None:
    by_folder = {f: default_settings(read_inference_config(FIXTURES / f)) for f in ("plus_l", "v2", "v3")}
    assert {f: s.drop_overlapping for f, s in by_folder.items()} == {"plus_l": False, "v2": True, "v3": True}
