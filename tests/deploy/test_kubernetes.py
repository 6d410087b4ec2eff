"""The manifests for Kubernetes: what the API takes, and whether what they name exists. None was applied."""

import re
import shutil
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import kubernetes_validate  # type: ignore[import-untyped]
import msgspec
import pytest
import yaml  # type: ignore[import-untyped]

from layout_stage.settings import LayoutSettings
from orchestrator.settings import OrchestratorSettings
from tests.deploy.kustomize import Manifest, built, containers, documents
from tests.metric_names import exported
from vlm_stage.settings import VlmSettings

KUBERNETES = Path(__file__).parents[2] / "deploy" / "kubernetes"
OVERLAYS = ("cpu", "arc", "arc-xe")
SETTINGS = {"layout": LayoutSettings, "vlm": VlmSettings, "orchestrator": OrchestratorSettings}
VERSIONS = ("1.29", kubernetes_validate.latest_version())
NAME = "app.kubernetes.io/name"
NOBODY = "0" * 64
"""The hash that is put where a token's is to be: none has it."""

Settings = LayoutSettings | VlmSettings | OrchestratorSettings

each_overlay = pytest.mark.parametrize("overlay", OVERLAYS)
each_process = pytest.mark.parametrize("process", SETTINGS)


@cache
def manifests(overlay: str) -> dict[tuple[str, str], Manifest]:
    """By kind and name."""
    found = built(KUBERNETES / "overlays" / overlay)
    by_name = {(one["kind"], one["metadata"]["name"]): one for one in found}
    assert len(by_name) == len(found)
    return by_name


def of_kind(overlay: str, kind: str) -> list[Manifest]:
    return [one for (its_kind, _), one in manifests(overlay).items() if its_kind == kind]


def deployment(overlay: str, process: str) -> Any:
    return manifests(overlay)["Deployment", f"arcscribe-{process}"]["spec"]


def pod(overlay: str, process: str) -> Any:
    return deployment(overlay, process)["template"]["spec"]


def settings(overlay: str, process: str) -> Settings:
    text = manifests(overlay)["ConfigMap", f"arcscribe-{process}"]["data"]["arcscribe.toml"]
    decoded: Settings = msgspec.toml.decode(text, type=SETTINGS[process])
    return decoded


def port_of(address: str) -> int:
    return int(address.rpartition(":")[2])


def labels(overlay: str) -> dict[str, dict[str, str]]:
    """Of the pods, by name."""
    kinds = [*of_kind(overlay, "Deployment"), *of_kind(overlay, "Job")]
    return {one["metadata"]["name"]: one["spec"]["template"]["metadata"]["labels"] for one in kinds}


def selects(selector: Manifest, its_labels: dict[str, str]) -> bool:
    assert selector.keys() <= {"matchLabels", "matchExpressions"}, selector
    expressions = selector.get("matchExpressions", ())
    assert {expression["operator"] for expression in expressions} <= {"In"}
    return selector.get("matchLabels", {}).items() <= its_labels.items() and all(
        its_labels.get(expression["key"]) in expression["values"] for expression in expressions
    )


@each_overlay
@pytest.mark.parametrize("version", VERSIONS)
def test_the_api_takes_every_manifest(overlay: str, version: str) -> None:
    for manifest in (*manifests(overlay).values(), *documents(KUBERNETES / "secrets.yaml")):
        kubernetes_validate.validate(manifest, version, strict=True)


@pytest.mark.skipif(not shutil.which("kubectl"), reason="no kubectl")
@each_overlay
def test_kustomize_makes_of_an_overlay_what_is_tested_here(overlay: str) -> None:
    done = subprocess.run(
        ["kubectl", "kustomize", str(KUBERNETES / "overlays" / overlay)],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    without_hashes = re.sub(
        r"(name: arcscribe-(?:layout|vlm|orchestrator))-[a-z0-9]{10}\b", r"\1", done.stdout
    )
    theirs = [one for one in yaml.safe_load_all(without_hashes) if one]
    assert {(one["kind"], one["metadata"]["name"]): one for one in theirs} == manifests(overlay)


@each_overlay
@each_process
def test_a_processs_ports_and_probes_are_those_of_its_file(overlay: str, process: str) -> None:
    told = settings(overlay, process)
    (container,) = pod(overlay, process)["containers"]
    ports = {port["name"]: port["containerPort"] for port in container["ports"]}
    assert told.tls is not None
    assert ports == {
        "grpc": port_of(told.listen),
        "health": port_of(told.tls.health_listen),
        "metrics": port_of(told.metrics.listen),
    }
    for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
        assert container[probe]["grpc"] == {"port": ports["health"]}
    for address in (told.listen, told.tls.health_listen, told.metrics.listen):
        assert address.startswith("0.0.0.0:")


@each_overlay
@each_process
def test_a_process_has_its_grace_before_it_is_killed(overlay: str, process: str) -> None:
    spec = pod(overlay, process)
    stop = (
        spec["containers"][0]
        .get("lifecycle", {})
        .get("preStop", {})
        .get("exec", {})
        .get("command", ["", "0"])
    )
    assert spec["terminationGracePeriodSeconds"] > settings(overlay, process).grace_seconds + float(stop[1])


def files_named(told: Settings) -> Iterator[str]:
    assert told.tls
    yield from (told.tls.certificate, told.tls.key, told.tls.client_ca)
    if isinstance(told, OrchestratorSettings):
        for stage in (told.layout, told.vlm):
            assert stage.tls
            yield from (stage.tls.ca, stage.tls.certificate, stage.tls.key, stage.token_file)


@each_overlay
@each_process
def test_what_a_processs_file_names_is_mounted(overlay: str, process: str) -> None:
    spec, told = pod(overlay, process), settings(overlay, process)
    (container,) = spec["containers"]
    secrets = {one["metadata"]["name"]: one["stringData"] for one in documents(KUBERNETES / "secrets.yaml")}
    mounted = {mount["mountPath"]: mount["name"] for mount in container["volumeMounts"]}
    volumes = {volume["name"]: volume for volume in spec["volumes"]}
    assert set(mounted.values()) == set(volumes)
    for file in filter(None, files_named(told)):
        folder, _, key = file.rpartition("/")
        assert key in secrets[volumes[mounted[folder]]["secret"]["secretName"]]
    assert container["args"] == ["--config", "/etc/arcscribe/config/arcscribe.toml"]
    config = volumes[mounted["/etc/arcscribe/config"]]["configMap"]["name"]
    assert "arcscribe.toml" in manifests(overlay)["ConfigMap", config]["data"]
    for volume in volumes.values():
        if claim := volume.get("persistentVolumeClaim"):
            assert ("PersistentVolumeClaim", claim["claimName"]) in manifests(overlay)


@each_overlay
def test_caches_of_compiled_models_lie_where_can_be_written(overlay: str) -> None:
    for process in ("layout", "vlm"):
        told = settings(overlay, process)
        assert not isinstance(told, OrchestratorSettings)
        folders = {told.openvino.cache_dir}
        if isinstance(told, VlmSettings):
            folders.add(told.paddleocr_vl.cache_dir)
        (container,) = pod(overlay, process)["containers"]
        writable = {mount["mountPath"] for mount in container["volumeMounts"] if not mount.get("readOnly")}
        assert folders - {""} <= writable
        assert bool(folders - {""}) == (overlay != "cpu")


@each_overlay
def test_the_orchestrator_looks_up_the_headless_services_of_the_stages(overlay: str) -> None:
    told = settings(overlay, "orchestrator")
    assert isinstance(told, OrchestratorSettings)
    for process, address in (("layout", told.layout.address), ("vlm", told.vlm.address)):
        assert address == f"dns:///arcscribe-{process}:{port_of(settings(overlay, process).listen)}"
        service = manifests(overlay)["Service", f"arcscribe-{process}"]["spec"]
        assert service["clusterIP"] == "None"


@each_overlay
def test_services_budgets_and_autoscalers_find_their_pods(overlay: str) -> None:
    pods = labels(overlay)
    for service in of_kind(overlay, "Service"):
        (name,) = (name for name, its in pods.items() if service["spec"]["selector"].items() <= its.items())
        (container,) = containers(manifests(overlay)["Deployment", name])
        for port in service["spec"]["ports"]:
            assert {"name": port["targetPort"], "containerPort": port["port"]} in container["ports"]
    for process in SETTINGS:
        name = f"arcscribe-{process}"
        assert selects(deployment(overlay, process)["selector"], pods[name])
        budget = manifests(overlay)["PodDisruptionBudget", name]["spec"]
        assert [one for one, its in pods.items() if selects(budget["selector"], its)] == [name]
        scaled = manifests(overlay)["HorizontalPodAutoscaler", name]["spec"]["scaleTargetRef"]
        assert ("Deployment", scaled["name"]) in manifests(overlay)
        assert "replicas" not in deployment(overlay, process)


def test_queue_lengths_by_which_pods_are_added_are_exported_and_come_through_the_adapter() -> None:
    names = {name for name, _ in exported()}
    adapter = KUBERNETES / "components" / "autoscaling" / "prometheus-adapter.yaml"
    (rule,) = yaml.safe_load(adapter.read_text(encoding="utf-8"))["rules"]["custom"]
    pattern = re.search(r'__name__=~"([^"]+)"', rule["seriesQuery"])
    assert pattern
    wanted = set()
    for autoscaler in of_kind("cpu", "HorizontalPodAutoscaler"):
        (metric,) = autoscaler["spec"]["metrics"]
        wanted.add(metric["pods"]["metric"]["name"])
    assert len(wanted) == len(SETTINGS)
    assert wanted <= names
    assert wanted == {name for name in names if re.fullmatch(pattern[1], name)}


@each_overlay
def test_pods_may_do_no_more_than_they_must(overlay: str) -> None:
    assert manifests(overlay)["Namespace", "arcscribe"]["metadata"]["labels"] == {
        "pod-security.kubernetes.io/enforce": "restricted"
    }
    for workload in (*of_kind(overlay, "Deployment"), *of_kind(overlay, "Job")):
        spec = workload["spec"]["template"]["spec"]
        assert spec["automountServiceAccountToken"] is False
        assert spec["securityContext"]["runAsNonRoot"] is True
        assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        for container in containers(workload):
            assert container["securityContext"] == {
                "allowPrivilegeEscalation": False,
                "readOnlyRootFilesystem": True,
                "capabilities": {"drop": ["ALL"]},
            }
            assert {"name": "tmp", "mountPath": "/tmp"} in container["volumeMounts"]
            assert container["resources"]["limits"]["memory"]


@each_overlay
def test_gpus_are_asked_for_by_the_stages_where_they_run_on_them(overlay: str) -> None:
    gpu = {"cpu": set(), "arc": {"gpu.intel.com/i915"}, "arc-xe": {"gpu.intel.com/xe"}}[overlay]
    for process in SETTINGS:
        (container,) = pod(overlay, process)["containers"]
        asked = set(container["resources"]["limits"]) - {"memory"}
        assert asked == (gpu if process != "orchestrator" else set())
        devices = set()
        told = settings(overlay, process)
        if isinstance(told, LayoutSettings):
            devices = {told.openvino.device}
        if isinstance(told, VlmSettings):
            vl = told.engine == "paddleocr-vl"
            devices = set(told.paddleocr_vl.devices) if vl else {told.openvino.device}
        assert ("GPU" in devices) == bool(asked)
        assert ("supplementalGroups" in pod(overlay, process)["securityContext"]) == bool(asked)
        assert container["image"].endswith("-arc") == bool(asked)


def lets_through(
    overlay: str, direction: str, its: dict[str, str], peer: dict[str, str], port: object
) -> bool:
    """Whether policies let pods with these labels take calls from, or make them to, those of their peer.

    `peer` may have the label `namespace` for one of another namespace.
    """
    here = [
        one["spec"]
        for one in of_kind(overlay, "NetworkPolicy")
        if direction.title() in one["spec"]["policyTypes"] and selects(one["spec"]["podSelector"], its)
    ]
    assert here, "a pod without a policy takes and makes every call"
    way = "from" if direction == "ingress" else "to"
    return any(
        _is_named(rule.get(way), peer) and any(allowed["port"] == port for allowed in rule["ports"])
        for spec in here
        for rule in spec.get(direction, ())
    )


def _is_named(peers: list[Manifest] | None, peer: dict[str, str]) -> bool:
    return peers is None or any(
        ("namespace" not in peer or "namespaceSelector" in one)
        and selects(
            one.get("namespaceSelector", {}),
            {"kubernetes.io/metadata.name": peer.get("namespace", "arcscribe")},
        )
        and selects(one.get("podSelector", {}), peer)
        for one in peers
    )


@each_overlay
def test_only_who_must_call_may(overlay: str) -> None:
    pods = labels(overlay)
    layout, vlm, orchestrator, models = (
        pods[f"arcscribe-{name}"] for name in ("layout", "vlm", "orchestrator", "models")
    )
    client = {"arcscribe-client": "true", "namespace": "knowledge"}
    stranger = {"app": "other", "namespace": "knowledge"}
    prometheus = {"namespace": "monitoring"}
    dns = {"namespace": "kube-system"}
    for port in ("grpc", "metrics"):
        assert lets_through(overlay, "ingress", orchestrator, client, port) == (port == "grpc")
        assert not lets_through(overlay, "ingress", orchestrator, stranger, port)
    for stage in (layout, vlm):
        assert lets_through(overlay, "ingress", stage, orchestrator, "grpc")
        assert lets_through(overlay, "egress", orchestrator, stage, "grpc")
        for other in (client, stranger, prometheus, models, layout, vlm):
            assert not lets_through(overlay, "ingress", stage, other, "grpc")
        for other in (layout, vlm, orchestrator, stranger, dns):
            assert not any(lets_through(overlay, "egress", stage, other, port) for port in ("grpc", 53, 443))
    for one in (layout, vlm, orchestrator):
        assert lets_through(overlay, "ingress", one, prometheus, "metrics")
    assert lets_through(overlay, "egress", orchestrator, dns, 53)
    assert not lets_through(overlay, "egress", orchestrator, stranger, 443)
    assert lets_through(overlay, "egress", models, stranger, 443)


@each_overlay
def test_placeholders_let_nobody_in(overlay: str) -> None:
    for secret in documents(KUBERNETES / "secrets.yaml"):
        assert set(secret["stringData"].values()) == {"PLACEHOLDER"}
    for process in SETTINGS:
        assert {token.sha256 for token in settings(overlay, process).tokens} == {NOBODY}


def test_prometheus_finds_the_pods_under_the_names_of_jobs_that_the_alerts_know() -> None:
    component = KUBERNETES / "components" / "monitoring"
    (monitor,) = built(component)
    pods = labels("cpu")
    found = {its[NAME] for its in pods.values() if selects(monitor["spec"]["selector"], its)}
    told = yaml.safe_load((KUBERNETES.parent / "prometheus" / "prometheus.yaml").read_text(encoding="utf-8"))
    assert monitor["spec"]["jobLabel"] == NAME
    assert found == {job["job_name"] for job in told["scrape_configs"]}
    assert [endpoint["port"] for endpoint in monitor["spec"]["podMetricsEndpoints"]] == ["metrics"]
