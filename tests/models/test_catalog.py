"""The catalog that is shipped."""

import pytest

from arcscribe.errors import InvalidOption
from arcscribe.models import HubSource, WheelSource, load_catalog

CATALOG = load_catalog()


def test_every_group_names_models_that_exist() -> None:
    for names in CATALOG.groups.values():
        assert set(names) <= CATALOG.models.keys()


def test_no_group_has_the_name_of_a_model() -> None:
    assert not CATALOG.groups.keys() & CATALOG.models.keys()


def test_every_file_of_a_wheel_is_pinned_and_has_a_member() -> None:
    for model in CATALOG.models.values():
        if isinstance(model.source, WheelSource):
            assert all(len(f.sha256) == 64 and f.bytes > 0 and f.member for f in model.files)


def test_a_model_of_a_hub_is_pinned_only_at_a_commit() -> None:
    for model in CATALOG.models.values():
        if isinstance(model.source, HubSource):
            assert (len(model.source.revision) == 40) == model.pinned


def test_the_embedded_models_need_no_hub() -> None:
    models = [CATALOG.models[name] for name in CATALOG.select(["embedded"])]
    assert len(models) == 5
    assert all(isinstance(model.source, WheelSource) for model in models)


def test_a_model_asked_for_twice_is_selected_once_and_in_order() -> None:
    assert CATALOG.select(["seal-det", "pp-ocrv5", "pp-ocrv5-rec"]) == (
        "seal-det",
        "pp-ocrv5-det",
        "pp-ocrv5-rec",
    )


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(InvalidOption, match="no model 'nonsense'"):
        CATALOG.select(["embedded", "nonsense"])
