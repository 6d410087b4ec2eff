import pytest
from structlog.testing import capture_logs

from arcscribe.types import RegionKind
from layout_stage.cdla_boxes import LABELS as CDLA
from layout_stage.detection.inference_config import read_inference_config
from layout_stage.detection.labels import kind_of
from tests.layout_stage.detection.reference import FAMILIES, FIXTURES


@pytest.mark.parametrize("family", FAMILIES)
def test_every_label_of_every_model_is_known(family: str) -> None:
    kind_of.cache_clear()
    with capture_logs() as logs:
        for label in (*read_inference_config(FIXTURES / family).labels, *CDLA):
            kind_of(label)
    assert logs == []


@pytest.mark.parametrize("kind", RegionKind)
def test_a_label_that_is_a_kind_means_it(kind: RegionKind) -> None:
    assert kind_of(kind.value) is kind


@pytest.mark.parametrize(
    ("label", "kind"),
    [
        ("inline_formula", RegionKind.FORMULA),
        ("reference_content", RegionKind.REFERENCE),
        ("vision_footnote", RegionKind.TEXT),
        ("title", RegionKind.PARAGRAPH_TITLE),
        ("equation", RegionKind.FORMULA),
    ],
)
def test_other_names_of_a_kind_mean_it_too(label: str, kind: RegionKind) -> None:
    assert kind_of(label) is kind


def test_an_unknown_label_is_text_and_logged_once() -> None:
    kind_of.cache_clear()
    with capture_logs() as logs:
        assert [kind_of("Marginalie"), kind_of("Marginalie")] == [RegionKind.TEXT] * 2
    assert [log["label"] for log in logs] == ["Marginalie"]
