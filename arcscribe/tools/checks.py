"""What `arcscribe doctor` looks at: each check tells what was found and what the user can do about it."""

from collections.abc import Callable
from enum import StrEnum
from importlib import import_module, util

import msgspec

from arcscribe.models import ModelStore, pull_command
from arcscribe.models.conversion import INSTALL, lacking_packages
from arcscribe.models.converted import converted_names
from arcscribe.tools.layout_models import CDLA

MEMORY_BYTES = 2_500_000_000
"""What all processes of a parse with the embedded engines take at most."""
DISK_BYTES = 500_000_000
"""Room for pages in work and for pictures, beside the models."""
PP_STRUCTURE = "pp-doclayout-"
"""What the names of PP-StructureV3's layout models begin with."""
LIBRARIES = ("cv2", "onnxruntime", "pypdfium2", "rapidocr")
"""What the stages import, and rapidocr, which carries models. OpenVINO has a check of its own."""
_GPU_HELP = (
    "none is needed for the embedded engines; for an Intel GPU install its compute runtime"
    " and let this user open /dev/dri/renderD* (docs/arc.md)"
)


class Outcome(StrEnum):
    """How a check ended; with an ERROR no document can be parsed."""

    OK = "ok"
    NOTE = "note"
    WARNING = "warning"
    ERROR = "error"


class Check(msgspec.Struct, frozen=True, omit_defaults=True):
    """One thing that was looked at, what was found, and what the user can do about it."""

    name: str
    outcome: Outcome
    found: str
    remedy: str = ""


def check_python(version: tuple[int, int, int]) -> Check:
    """Whether Python is one of those that Arcscribe is tested on."""
    found = ".".join(map(str, version))
    if (3, 11) <= version[:2] <= (3, 13):
        return Check("python", Outcome.OK, found)
    return Check("python", Outcome.ERROR, found, "use Python 3.11, 3.12 or 3.13")


def check_libraries(names: tuple[str, ...]) -> Check:
    """Whether the libraries that the stages import are installed."""
    lacking = [name for name in names if util.find_spec(name) is None]
    if not lacking:
        return Check("libraries", Outcome.OK, ", ".join(names))
    return Check("libraries", Outcome.ERROR, f"no {', '.join(lacking)}", "install arcscribe anew")


class OpenVinoFindings(msgspec.Struct, frozen=True):
    """OpenVINO's version, the devices it sees, each described, and why there is no GPU among them."""

    version: str
    devices: tuple[str, ...]
    no_gpu: str = ""


def openvino_findings() -> OpenVinoFindings:
    """What OpenVINO says.

    It is imported here and not above, so that a broken installation is a finding and not a crash.
    """
    openvino = import_module("arcscribe.inference.openvino")
    devices = import_module("arcscribe.inference.devices")
    seen = tuple(map(str, devices.describe_devices()))
    return OpenVinoFindings(openvino.version(), seen, devices.why_no_gpu())


def check_openvino(probe: Callable[[], OpenVinoFindings]) -> tuple[Check, ...]:
    """Whether OpenVINO loads, and what it can run on."""
    try:
        findings = probe()
    except (ImportError, OSError, RuntimeError) as error:
        found = f"does not load: {' '.join(str(error).split())}"
        return (Check("openvino", Outcome.ERROR, found, "pip install --force-reinstall openvino"),)
    return Check("openvino", Outcome.OK, findings.version), _check_devices(findings)


def _check_devices(findings: OpenVinoFindings) -> Check:
    seen = ", ".join(findings.devices)
    if not seen:
        return Check(
            "devices", Outcome.ERROR, "none", "OpenVINO needs an x86-64 CPU with SSE4.2 or an ARM64 CPU"
        )
    if any(name.startswith("GPU") for name in findings.devices):
        return Check("devices", Outcome.OK, seen)
    why = f" ({findings.no_gpu})" if findings.no_gpu else ""
    return Check("devices", Outcome.NOTE, f"{seen}; no GPU{why}", _GPU_HELP)


def check_embedded_models(store: ModelStore) -> Check:
    """Whether the models are there without which nothing can be parsed."""
    names = store.catalog.select(["embedded"])
    lacking = [name for name in names if not store.has(name)]
    if not lacking:
        return Check("models", Outcome.OK, f"all {len(names)} embedded ones in {store.root}")
    found = f"missing or damaged in {store.root}: {', '.join(lacking)}"
    return Check("models", Outcome.ERROR, found, f"run: {pull_command('embedded', pinned=True)}")


def check_layout(store: ModelStore) -> Check:
    """Which layout models of PP-StructureV3 are there; without one, layout-cdla finds the regions."""
    names = [name for name in store.catalog.models if name.startswith(PP_STRUCTURE)]
    found = [name for name in names if store.has(name)]
    if found:
        there = f"for --layout-model there are {', '.join(found)}"
        return Check("layout", Outcome.OK, f"{CDLA} is used; {there}")
    best = names[0]
    pull = pull_command(best, pinned=store.catalog.model(best).pinned)
    remedy = f"run: {pull}, then say --layout-model {best}"
    return Check("layout", Outcome.NOTE, f"{CDLA} is used; there is none of PP-StructureV3", remedy)


def check_vlm(store: ModelStore) -> Check:
    """Whether a PaddleOCR-VL is there that can be run; the embedded engines do without."""
    if converted := tuple(converted_names(store.root)):
        return Check("vlm", Outcome.OK, ", ".join(converted))
    names = [name for name in store.catalog.models if name.startswith("paddleocr-vl-")]
    pulled = [name for name in names if store.has(name)]
    lacking = lacking_packages()
    found = f"{', '.join(pulled)}, not converted" if pulled else "no PaddleOCR-VL"
    found += f"; converting needs {' and '.join(lacking)}" if lacking else ""
    commands = (
        *([INSTALL] if lacking else ()),
        *([] if pulled else [pull_command(names[-1], pinned=True)]),
        f"arcscribe models convert {(pulled or names)[-1]}",
    )
    where = " in the clone" if lacking else ""
    return Check("vlm", Outcome.NOTE, found, f"run{where}: {' && '.join(commands)}")


def check_memory(available: int) -> Check:
    """Whether the memory that can still be had, in bytes, is enough."""
    found = f"{available / 1e9:.1f} GB free"
    if available >= MEMORY_BYTES:
        return Check("memory", Outcome.OK, found)
    remedy = f"close programs or raise the container's limit: up to {MEMORY_BYTES / 1e9:.1f} GB are used"
    return Check("memory", Outcome.WARNING, found, remedy)


def check_disk(store: ModelStore, free: int) -> Check:
    """Whether the disk of the store has room, in bytes, for the embedded models it lacks and for work."""
    lacking = (name for name in store.catalog.select(["embedded"]) if not store.has(name))
    needed = DISK_BYTES + sum(store.catalog.model(name).bytes for name in lacking)
    found = f"{free / 1e9:.1f} GB free at {store.root}"
    if free >= needed:
        return Check("disk", Outcome.OK, found)
    remedy = f"make room for {needed / 1e9:.1f} GB, or set ARCSCRIBE_MODELS to a folder on another disk"
    return Check("disk", Outcome.WARNING, found, remedy)
