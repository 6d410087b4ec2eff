import msgspec
import pytest

from arcscribe.errors import InvalidConfig
from layout_stage.detection.detection_options import DetectionOptions, with_options
from layout_stage.detection.detection_settings import DetectionSettings, MergeMode, PolygonShape

LABELS = ("text", "seal", "table")
OWN = DetectionSettings({"seal": 0.45}, nms=True, merge={"table": MergeMode.LARGE})


def changed(toml: str) -> DetectionSettings:
    return with_options(OWN, msgspec.toml.decode(toml, type=DetectionOptions), LABELS)


def test_without_options_the_models_settings_stay() -> None:
    assert changed("") == OWN


def test_one_label_changes_and_the_others_stay() -> None:
    settings = changed("thresholds = {text = 0.3}\nmerges = {seal = 'small'}\nunclips = {seal = [1.2, 1.1]}")
    assert settings.threshold == {"text": 0.3, "seal": 0.45, "table": 0.5}
    assert settings.merge == {"text": "union", "seal": "small", "table": "large"}
    assert settings.unclip == {"text": (1, 1), "seal": (1.2, 1.1), "table": (1, 1)}


def test_one_value_is_for_all_labels_that_have_none_of_their_own() -> None:
    settings = changed(
        "threshold = 0.2\nthresholds = {text = 0.3}\nnms = false\nmerge = 'union'\nshape = 'rect'"
    )
    assert settings.threshold == {"text": 0.3, "seal": 0.2, "table": 0.2}
    assert (settings.nms, settings.merge, settings.shape) == (False, MergeMode.UNION, PolygonShape.RECT)


@pytest.mark.parametrize(
    "key", ["thresholds = {sael = 0.3}", "merges = {sael = 'small'}", "unclips = {sael = [1, 1]}"]
)
def test_a_label_that_the_model_has_not_is_refused(key: str) -> None:
    with pytest.raises(InvalidConfig, match="'sael'; it has text, seal, table"):
        changed(key)


@pytest.mark.parametrize("unclip", ["[1]", "[0, 1]", "[1, 5]", "[nan, 1]", "[1, inf]"])
def test_an_unclip_that_is_no_ratio_is_refused(unclip: str) -> None:
    with pytest.raises(InvalidConfig, match="unclip"):
        changed(f"unclip = {unclip}")
