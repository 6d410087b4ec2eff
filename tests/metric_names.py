"""The names of what the processes export, as Prometheus sees them."""

from collections.abc import Iterator

from prometheus_client import REGISTRY

import arcscribe.rpc.metrics
import layout_stage.metrics
import orchestrator.metrics
import vlm_stage.metrics

MODULES = {
    "all": arcscribe.rpc.metrics,
    "layout": layout_stage.metrics,
    "VLM": vlm_stage.metrics,
    "orchestrator": orchestrator.metrics,
}
"""Each registers its metrics when it is imported."""

SUFFIXES = {"counter": "_total", "info": "_info"}


def exported() -> Iterator[tuple[str, str]]:
    """The name of each of Arcscribe's own metrics, and its type."""
    for family in REGISTRY.collect():
        if family.name.startswith("arcscribe_"):
            yield family.name + SUFFIXES.get(family.type, ""), family.type
