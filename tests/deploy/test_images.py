"""The recipe of images and the compose file: whether what they name exists. No Docker engine has run them."""

import itertools
import json
import re
import shlex
from io import BytesIO
from pathlib import Path
from typing import Any

import msgspec
import pytest
import typer
import yaml  # type: ignore[import-untyped]
from dockerfile_parse import DockerfileParser  # type: ignore[import-untyped]

from arcscribe.config import load_settings
from arcscribe.tools.app import app
from layout_stage.settings import LayoutSettings
from orchestrator.settings import OrchestratorSettings
from vlm_stage.settings import VlmSettings

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
RECIPE = DEPLOY / "Dockerfile"
SETTINGS: dict[str, type[msgspec.Struct]] = {
    "layout_stage": LayoutSettings,
    "vlm_stage": VlmSettings,
    "orchestrator": OrchestratorSettings,
}
COMPOSE: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
SERVICES: dict[str, Any] = COMPOSE["services"]
PROCESSES = sorted(set(SERVICES) - {"models"})

each_process = pytest.mark.parametrize("name", PROCESSES)


def instructions(kind: str) -> list[str]:
    parser = DockerfileParser(fileobj=BytesIO(RECIPE.read_bytes()))
    return [one["value"] for one in parser.structure if one["instruction"] == kind]


def arguments() -> set[str]:
    return {value.partition("=")[0] for value in instructions("ARG")}


def settings(name: str) -> Any:
    (file,) = (volume.split(":")[0] for volume in SERVICES[name]["volumes"] if ".toml:" in volume)
    return load_settings(DEPLOY / file, SETTINGS[SERVICES[name]["build"]["args"]["STAGE"]])


def port_of(address: str) -> int:
    return int(address.rpartition(":")[2])


def test_packages_are_installed_from_the_lock_by_their_hashes_and_nothing_else_is() -> None:
    installs = [value for value in instructions("RUN") if "pip install" in value]
    assert len(installs) == 2
    assert "--require-hashes -r /src/requirements.lock" in installs[0]
    assert "--no-deps /src" in installs[1]


def test_what_is_copied_exists_and_is_not_ignored() -> None:
    ignored = (DEPLOY / "Dockerfile.dockerignore").read_text(encoding="utf-8").splitlines()
    for value in instructions("COPY"):
        *sources, _ = shlex.split(value.replace("${LOCK}", "requirements.lock"))
        if sources[0].startswith("--from"):
            continue
        for source in sources:
            assert (ROOT / source).exists(), source
            assert {f"!{source}", "!deploy/*.lock"} & set(ignored), source


def test_an_image_runs_one_process_as_a_user_that_is_not_root() -> None:
    assert instructions("USER") == ["10001:10001"]
    (entry,) = instructions("ENTRYPOINT")
    assert "arcscribe.tools.run_stage" in json.loads(entry)[2]
    assert not any(re.search(r"\b(gcc|build-essential|cmake)\b", value) for value in instructions("RUN"))


def test_every_variant_has_a_base() -> None:
    bases = {value.rpartition(" AS ")[2] for value in instructions("FROM")}
    variants = {one["build"]["args"].get("VARIANT", "cpu") for one in SERVICES.values()}
    assert {f"base-{variant}" for variant in variants} == {
        base for base in bases if base.startswith("base-")
    } - {"base-${VARIANT}"}


@each_process
def test_a_service_builds_its_image_with_arguments_that_the_recipe_knows(name: str) -> None:
    build = SERVICES[name]["build"]
    assert (DEPLOY / build["context"]).resolve() == ROOT
    assert build["args"].keys() <= arguments()
    assert (DEPLOY / build["args"].get("LOCK", "requirements.lock")).is_file()


def test_services_that_share_an_image_build_it_alike() -> None:
    by_image = [(one["image"], one["build"]) for one in SERVICES.values()]
    for (image, build), (other, its_build) in itertools.combinations(by_image, 2):
        assert (image == other) == (build == its_build)


@each_process
def test_health_is_asked_where_the_process_listens(name: str) -> None:
    _, command, subcommand, address = SERVICES[name]["healthcheck"]["test"]
    assert (command, subcommand) == ("arcscribe", "health")
    assert subcommand in typer.main.get_command(app).commands  # type: ignore[attr-defined]
    assert port_of(address) == port_of(settings(name).listen)


@each_process
def test_a_service_has_its_grace_and_may_do_no_more_than_it_must(name: str) -> None:
    service = SERVICES[name]
    assert float(service["stop_grace_period"].rstrip("s")) > settings(name).grace_seconds
    assert service["restart"] == "unless-stopped"
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    if name != "orchestrator":
        assert COMPOSE["networks"]["stages"]["internal"] is True
        assert set(service["networks"]) == {"stages"}


@pytest.mark.parametrize("profile", ["cpu", "arc"])
def test_a_profile_has_the_three_processes_where_the_orchestrator_expects_them(profile: str) -> None:
    started = {name: one for name, one in SERVICES.items() if profile in one.get("profiles", ())}
    expected = settings("orchestrator")
    for address in (expected.layout.address, expected.vlm.address):
        host, _, port = address.rpartition(":")
        (name,) = (name for name, one in started.items() if host in {name, *aliases(one)})
        assert port_of(settings(name).listen) == int(port)
    assert len(started) == 3
    assert all(
        ("/dev/dri:/dev/dri" in one.get("devices", ())) == (profile == "arc")
        for one in started.values()
        if one is not SERVICES["orchestrator"]
    )


def aliases(service: dict[str, Any]) -> list[str]:
    networks = service["networks"]
    return networks["stages"]["aliases"] if isinstance(networks, dict) else []


def test_volumes_exist_and_the_models_are_pulled_into_the_one_that_stages_read() -> None:
    named = {
        match[1]
        for one in SERVICES.values()
        for volume in one["volumes"]
        if (match := re.match(r"(?:\$\{\w+:-)?([a-z]+)\}?:", volume))
    }
    assert named == set(COMPOSE["volumes"])
    (store,) = SERVICES["models"]["volumes"]
    assert all(f"{store}:ro" in SERVICES[name]["volumes"] for name in PROCESSES if name != "orchestrator")
