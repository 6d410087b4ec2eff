"""Metrics are named alike in the code, the documents, the dashboard and the alerts."""

import json
import re
from pathlib import Path

import pytest
import yaml  # type: ignore[import-untyped]

from tests.metric_names import MODULES, exported
from tests.test_docs import rows, section, text_of

ROOT = Path(__file__).parents[1]
OPERATIONS = text_of(ROOT / "docs" / "operations.md")
DASHBOARD = json.loads(text_of(ROOT / "deploy" / "grafana" / "arcscribe.json"))
ALERTS = [
    rule
    for group in yaml.safe_load(text_of(ROOT / "deploy" / "prometheus" / "alerts.yaml"))["groups"]
    for rule in group["rules"]
]
QUERIES = {
    "dashboard": "\n".join(
        target["expr"] for panel in DASHBOARD["panels"] for target in panel.get("targets", ())
    ),
    "alerts": "\n".join(rule["expr"] for rule in ALERTS),
}


def metrics_of(queries: str) -> set[str]:
    """The metrics that are asked for, histograms by their own name."""
    names = re.findall(r"\barcscribe_\w+", queries)
    return {re.sub(r"_(bucket|sum|count)$", "", name) for name in names}


def test_the_table_of_metrics_is_what_the_code_exports() -> None:
    table = [row for row in rows(section(OPERATIONS, "Metrics")) if row[0].startswith("`")]
    assert {(row[0].strip("`"), row[1]) for row in table} == set(exported())
    assert {row[2] for row in table} == set(MODULES)


def test_the_table_of_metrics_has_the_labels_of_each() -> None:
    table = {
        row[0].strip("`"): tuple(re.findall(r"`(\w+)`", row[3]))
        for row in rows(section(OPERATIONS, "Metrics"))
        if row[0].startswith("`")
    }
    checked = 0
    for module in MODULES.values():
        for metric in vars(module).values():
            if (labels := getattr(metric, "_labelnames", None)) is not None and metric._type != "info":
                name = metric._name + ("_total" if metric._type == "counter" else "")
                assert table[name] == tuple(labels)
                checked += 1
    assert checked > 15


@pytest.mark.parametrize("where", QUERIES)
def test_every_metric_that_is_asked_for_is_exported(where: str) -> None:
    asked = metrics_of(QUERIES[where])
    assert asked
    assert asked <= {name for name, _ in exported()}


def test_the_dashboard_shows_every_metric() -> None:
    assert metrics_of(QUERIES["dashboard"]) == {name for name, _ in exported()}


def test_panels_of_the_dashboard_have_places_of_their_own() -> None:
    cells = [
        (x, y)
        for panel in DASHBOARD["panels"]
        for place in [panel["gridPos"]]
        for x in range(place["x"], place["x"] + place["w"])
        for y in range(place["y"], place["y"] + place["h"])
    ]
    assert len(cells) == len(set(cells))
    assert max(x for x, _ in cells) < 24
    ids = [panel["id"] for panel in DASHBOARD["panels"]]
    assert len(ids) == len(set(ids))


def test_the_jobs_that_alerts_and_dashboard_ask_for_are_fetched() -> None:
    fetched = yaml.safe_load(text_of(ROOT / "deploy" / "prometheus" / "prometheus.yaml"))["scrape_configs"]
    patterns = set(re.findall(r'job=~"([^"]+)"', "\n".join(QUERIES.values())))
    assert patterns
    assert all(re.fullmatch(pattern, job["job_name"]) for pattern in patterns for job in fetched)
    assert len(fetched) == 3


def test_the_table_of_alerts_is_that_of_the_rules() -> None:
    listed = [row[0].strip("`") for row in rows(section(OPERATIONS, "Alerts")) if row[0].startswith("`")]
    assert listed == [rule["alert"] for rule in ALERTS]
    assert {rule["labels"]["severity"] for rule in ALERTS} == {"critical", "warning"}
    assert all(rule["annotations"]["summary"] for rule in ALERTS)
