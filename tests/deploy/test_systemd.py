"""The units for systemd: whether they are understood, and what they name exists."""

import re
import shlex
import shutil
import subprocess
from configparser import ConfigParser
from pathlib import Path

import pytest

from arcscribe.tools.serve import PACKAGES, Part
from layout_stage.settings import LayoutSettings
from orchestrator.settings import OrchestratorSettings
from vlm_stage.settings import VlmSettings

UNITS = Path(__file__).parents[2] / "deploy" / "systemd"
PROCESSES: dict[str, tuple[Part, LayoutSettings | VlmSettings | OrchestratorSettings]] = {
    "arcscribe-layout.service": (Part.LAYOUT, LayoutSettings()),
    "arcscribe-vlm@.service": (Part.VLM, VlmSettings()),
    "arcscribe-orchestrator.service": (Part.ORCHESTRATOR, OrchestratorSettings()),
}
NEWER = ("RestartSteps", "RestartMaxDelaySec")
"""What systemd has since 254, and older ones warn of."""

each_process = pytest.mark.parametrize("name", PROCESSES)


def unit(name: str) -> ConfigParser:
    parser = ConfigParser(interpolation=None, delimiters=("=",))
    parser.optionxform = str  # type: ignore[assignment,method-assign]  # keys have capitals
    parser.read_string((UNITS / name).read_text(encoding="utf-8"))
    return parser


@each_process
def test_a_unit_starts_its_process_with_a_file_of_its_own(name: str) -> None:
    part, _ = PROCESSES[name]
    _, serve, process, option, config = shlex.split(unit(name)["Service"]["ExecStart"])
    assert (serve, process, option) == ("serve", part.value, "--config")
    assert config == f"/etc/arcscribe/{'vlm-%i' if '@' in name else process}.toml"
    assert part in PACKAGES


@each_process
def test_a_process_has_its_grace_before_it_is_killed_and_is_started_again_when_it_fails(name: str) -> None:
    service = unit(name)["Service"]
    assert float(service["TimeoutStopSec"]) > PROCESSES[name][1].grace_seconds
    assert service["Restart"] == "on-failure"
    assert unit(name)["Unit"]["StartLimitIntervalSec"] == "0"


def test_every_unit_belongs_to_the_target_and_names_others_that_exist() -> None:
    files = {path.name for path in UNITS.iterdir()}
    assert files == {*PROCESSES, "arcscribe-models.service", "arcscribe.target"}
    for name in files - {"arcscribe.target"}:
        told = unit(name)
        assert told["Install"]["WantedBy"] == "arcscribe.target"
        others = " ".join(told["Unit"].get(key, "") for key in ("After", "Wants", "PartOf")).split()
        assert {other for other in others if other.startswith("arcscribe")} <= files
        assert (told["Service"]["User"], told["Service"]["DynamicUser"]) == ("arcscribe", "yes")


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="no systemd")
def test_systemd_understands_the_units(tmp_path: Path) -> None:
    names = []
    for path in UNITS.iterdir():
        text = path.read_text(encoding="utf-8").replace("/opt/arcscribe/bin/arcscribe", "/bin/true")
        names.append(path.name.replace("@.", "@0."))
        (tmp_path / names[-1]).write_text(text, encoding="utf-8")
    done = subprocess.run(
        ["systemd-analyze", "verify", *(str(tmp_path / name) for name in names)],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    pattern = rf"Unknown key(?: name)? '(?:{'|'.join(NEWER)})'"
    wrong = [
        line for line in done.stderr.splitlines() if str(tmp_path) in line and not re.search(pattern, line)
    ]
    assert (done.returncode, wrong) == (0, [])
