"""The documents say what the code does: settings, options, errors, files, links and examples."""

import ast
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import grpc
import msgspec
import pytest
import typer
from google.protobuf import json_format
from google.protobuf.message import Message

from arcscribe import errors
from arcscribe.config import load_settings
from arcscribe.inference.openvino import OpenVinoSettings
from arcscribe.rpc.credentials import Tls
from arcscribe.rpc.server_tls import ServerTls
from arcscribe.rpc.tokens import CallToken, DocumentToken
from arcscribe.tools.app import app
from arcscribe.tools.local_service import LocalService
from arcscribe.tools.serve import AllSettings
from arcscribe.v1 import layout_pb2, parse_pb2
from bench.figures import SPEED, figures_table, with_figures
from layout_stage.settings import LayoutSettings
from orchestrator.settings import OrchestratorSettings
from vlm_stage.settings import VlmSettings

ROOT = Path(__file__).parents[1]
DOCS = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
PAGES = (*DOCS, ROOT / "CHANGELOG.md", ROOT / "CONTRIBUTING.md", ROOT / "samples" / "README.md")
PACKAGES = ("arcscribe", "layout_stage", "vlm_stage", "orchestrator")

DEPLOYED: Mapping[str, type[msgspec.Struct]] = {
    "layout": LayoutSettings,
    "layout-paddlex": LayoutSettings,
    "vlm": VlmSettings,
    "orchestrator": OrchestratorSettings,
    "all": AllSettings,
}
SECTIONS: Mapping[str, msgspec.Struct] = {
    "Layout stage": LayoutSettings(),
    "VLM stage": VlmSettings(),
    "Table `[paddleocr_vl]`": VlmSettings().paddleocr_vl,
    "Table `[paddlex]`": LayoutSettings().paddlex,
    "Table `[openvino]`": OpenVinoSettings(),
    "Table `[onnxruntime]`": LayoutSettings().onnxruntime,
    "Table `[batch]`": LayoutSettings().batch,
    "Orchestrator": OrchestratorSettings(),
    "Tables `[layout]` and `[vlm]`": OrchestratorSettings().layout,
    "Table `[draft_vlm]`": OrchestratorSettings().draft_vlm,
    "Table `[pages]`": OrchestratorSettings().pages,
    "Table `[tls]`": ServerTls("", ""),
    "Table `[tls]` of a stage": Tls(),
    "Table `[metrics]`": OrchestratorSettings().metrics,
    "Table `[traces]`": OrchestratorSettings().traces,
    "`arcscribe serve all`": AllSettings(),
}
OWN_IMPORTS = {
    "openvino": ("arcscribe/inference/", "layout_stage/engines/", "vlm_stage/engines/"),
    "arcscribe.inference": (
        "arcscribe/inference/",
        "layout_stage/engines/",
        "layout_stage/settings.py",
        "vlm_stage/engines/",
        "vlm_stage/settings.py",
    ),
    "onnxruntime": ("layout_stage/engines/", "vlm_stage/engines/"),
    "paddlex": ("layout_stage/engines/",),
    "pypdfium2": ("orchestrator/pages/",),
    "rapidocr": (),
    "torch": (),
    "transformers": (),
}
"""The only places where these may be imported, as docs/architecture.md says."""


def text_of(*paths: Path) -> str:
    return "\n".join(path.read_text(encoding="utf-8") for path in paths)


def section(markdown: str, title: str) -> str:
    """What follows a heading, up to the next."""
    found = re.search(rf"^#+ {re.escape(title)}\n(.*?)(?=^#|\Z)", markdown, re.MULTILINE | re.DOTALL)
    assert found, f"there is no section {title!r}"
    return found[1]


def rows(markdown: str) -> Iterator[list[str]]:
    """The rows of its tables, head and rule included, as cells."""
    for line in markdown.splitlines():
        if line.startswith("|"):
            yield [cell.strip() for cell in line.strip("|").split("|")]


@pytest.mark.parametrize("title", SECTIONS)
def test_configuration_lists_every_key_with_its_default(title: str) -> None:
    markdown = section(text_of(ROOT / "docs" / "configuration.md"), title)
    listed = {
        row[0].strip("`"): row[1].split("`")[1] for row in rows(markdown) if re.fullmatch("`[a-z_]+`", row[0])
    }
    actual = {
        key: json.dumps(value)
        for key, value in msgspec.structs.asdict(SECTIONS[title]).items()
        if not isinstance(value, msgspec.Struct)
    }
    assert listed == actual


def test_configuration_lists_every_key_of_a_token() -> None:
    markdown = section(text_of(ROOT / "docs" / "configuration.md"), "Tables `[[tokens]]`")
    listed = {row[0].strip("`") for row in rows(markdown) if row[0].startswith("`")}
    fields = {field.name for kind in (CallToken, DocumentToken) for field in msgspec.structs.fields(kind)}
    assert listed == fields


def test_configuration_gives_the_default_address_of_each_stage() -> None:
    text = section(text_of(ROOT / "docs" / "configuration.md"), "Tables `[layout]` and `[vlm]`")
    settings = OrchestratorSettings()
    assert f'`"{settings.layout.address}"` for `[layout]`, `"{settings.vlm.address}"` for `[vlm]`' in text
    same = msgspec.structs.replace(settings.vlm, address=settings.layout.address)
    assert same == settings.layout


def test_every_deployed_file_and_every_example_decodes_with_the_settings_of_its_process(
    tmp_path: Path,
) -> None:
    files = {path.stem: path for path in (ROOT / "deploy").glob("*.toml")}
    assert files.keys() == DEPLOYED.keys()
    for name, path in files.items():
        load_settings(path, DEPLOYED[name])
    examples = re.findall(r"^```toml\n(.*?)^```", text_of(*DOCS), re.MULTILINE | re.DOTALL)
    assert examples
    for example in examples:
        (tmp_path / "all.toml").write_text(example, encoding="utf-8")
        settings = load_settings(tmp_path / "all.toml", AllSettings)
        for stage in ("layout", "vlm", "orchestrator"):
            msgspec.convert(getattr(settings, stage), type=DEPLOYED[stage])
        msgspec.convert(settings.draft_stage, type=VlmSettings)


def test_the_deployed_values_are_the_defaults_but_for_the_addresses() -> None:
    replace = msgspec.structs.replace
    for name in ("layout", "vlm", "orchestrator"):
        deployed = load_settings(ROOT / "deploy" / f"{name}.toml", DEPLOYED[name])
        default = replace(DEPLOYED[name](), listen=getattr(deployed, "listen"))  # noqa: B009  # of any struct
        if isinstance(default, OrchestratorSettings) and isinstance(deployed, OrchestratorSettings):
            layout = replace(default.layout, address=deployed.layout.address)
            vlm = replace(default.vlm, address=deployed.vlm.address)
            default = replace(default, layout=layout, vlm=vlm)
        assert deployed == default


def test_every_environment_variable_that_the_code_reads_is_documented() -> None:
    code = text_of(*(path for package in PACKAGES for path in (ROOT / package).rglob("*.py")))
    read = set(re.findall(r'"((?:ARCSCRIBE|HF|MODELSCOPE)_[A-Z]+)"', code))
    listed = {
        row[0].strip("`") for row in rows(section(text_of(ROOT / "docs" / "configuration.md"), "Environment"))
    }
    assert read
    assert read <= listed


def commands(command: Any, name: str) -> Iterator[tuple[str, list[str]]]:
    """Each command below one, by its full name, with its long options."""
    own = {"--help", "--install-completion", "--show-completion"}
    options = [opt for param in command.params for opt in param.opts if opt.startswith("--")]
    yield name, [option for option in options if option not in own]
    for child, sub in getattr(command, "commands", {}).items():
        yield from commands(sub, f"{name} {child}")


def test_every_command_and_option_is_in_the_documents() -> None:
    text = text_of(*DOCS)
    listed = list(commands(typer.main.get_command(app), "arcscribe"))
    assert {"arcscribe parse", "arcscribe models pull"} <= {name for name, _ in listed}
    for name, options in listed:
        assert re.search(rf"{name}\b", text), name
        for option in options:
            assert re.search(rf"{option}(?![\w-])", text), f"{name} {option}"


def test_every_option_in_the_table_of_parse_is_one_of_its_own_and_none_is_left_out() -> None:
    table = rows(section(text_of(ROOT / "docs" / "command-line.md"), "Parse"))
    listed = {option for row in table for option in re.findall(r"`(--[a-z-]+)`", row[0])}
    assert listed == set(dict(commands(typer.main.get_command(app), "arcscribe"))["arcscribe parse"])


def test_every_make_target_in_the_documents_exists() -> None:
    targets = set(re.findall(r"^([a-z]+):", text_of(ROOT / "Makefile"), re.MULTILINE))
    named = set(re.findall(r"(?:`|^    )make ([a-z]+)", text_of(*PAGES), re.MULTILINE))
    assert {"demo", "test"} <= named <= targets


def test_every_module_run_with_python_m_exists() -> None:
    named = set(re.findall(r"python -m ([a-z_.]+)", text_of(*PAGES)))
    assert "bench.quality" in named
    for module in named:
        path = ROOT / module.replace(".", "/")
        assert path.with_suffix(".py").is_file() or (path / "__main__.py").is_file(), module


def test_errors_of_the_api_are_those_of_the_code() -> None:
    listed = {
        row[0].strip("`"): (row[1], row[2] == "yes", row[3].strip("`"))
        for row in rows(section(text_of(ROOT / "docs" / "api.md"), "Errors"))
        if row[0].startswith("`")
    }
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type)]
    actual = {
        kind.reason: (kind.status.name, kind.retryable, kind.__name__)
        for kind in kinds
        if issubclass(kind, errors.ArcscribeError) and kind is not errors.ArcscribeError
    }
    assert listed == actual
    assert {status for status, _, _ in listed.values()} <= {code.name for code in grpc.StatusCode}


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        if "://" in target:
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path) if path else page
        assert file.exists(), target
        if anchor:
            titles = re.findall(r"^#+ (.*)$", file.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", DOCS, ids=lambda path: str(path.relative_to(ROOT)))
def test_files_that_a_document_names_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for name in re.findall(rf"`((?:{'|'.join(PACKAGES)}|proto|deploy|bench|samples)/[\w./]*)`", text):
        assert (ROOT / name).exists(), name


def test_the_walk_names_every_folder_of_the_code() -> None:
    walk = text_of(ROOT / "docs" / "architecture.md")
    folders = {path.parent.relative_to(ROOT) for name in PACKAGES for path in (ROOT / name).rglob("*.py")}
    for folder in folders - {Path("arcscribe/v1"), Path("arcscribe/models/sources")}:
        assert f"{folder}/" in walk, folder


def imports(path: Path) -> Iterator[str]:
    """The modules that a module imports, wherever in it, and the packages that hold them."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        named = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and node.module:
            named = [node.module]
        for name in named:
            parts = name.split(".")
            yield from (".".join(parts[:count]) for count in range(1, len(parts) + 1))


@pytest.mark.parametrize("library", OWN_IMPORTS)
def test_heavy_libraries_are_imported_only_where_the_architecture_says(library: str) -> None:
    importers = {
        path.relative_to(ROOT).as_posix()
        for package in PACKAGES
        for path in (ROOT / package).rglob("*.py")
        if library in imports(path)
    }
    allowed = OWN_IMPORTS[library]
    assert {name for name in importers if not name.startswith(allowed)} == set()
    assert bool(importers) == bool(allowed)


def examples(*pages: Path) -> list[Any]:
    """The Python examples that parse a document."""
    return [
        pytest.param(code, id=f"{page.stem}-{number}")
        for page in pages
        for number, code in enumerate(
            re.findall(r"^```python\n(.*?)^```", text_of(page), re.MULTILINE | re.DOTALL)
        )
    ]


@pytest.mark.parametrize("code", examples(ROOT / "README.md", ROOT / "docs" / "api.md"))
def test_python_examples_run_against_a_service(
    code: str, service: LocalService, samples: Path, tmp_path: Path
) -> None:
    assert '"localhost:50060"' in code
    example = tmp_path / "example.py"
    example.write_text(code.replace("localhost:50060", service.address), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(example)],
        cwd=samples,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    shown = {"print(parsed.markdown)": "采购合同", "PageDone": "page 1 is done", "outline": "Heading("}
    expected = [words for part, words in shown.items() if part in code]
    assert expected
    assert all(words in done.stdout for words in expected), done.stdout


def test_messages_of_the_grpcurl_examples_are_those_of_the_contract() -> None:
    bodies = re.findall(r"printf '(\{.*?\})'", text_of(*DOCS))
    kinds: Mapping[str, type[Message]] = {
        "document": parse_pb2.ParseRequest,
        "start": parse_pb2.ParseStreamRequest,
        "chunk": parse_pb2.ParseStreamRequest,
        "image": layout_pb2.AnalyzeRequest,
    }
    assert len(bodies) >= 5
    for body in bodies:
        message = json.loads(body.replace("%s", "aGVsbG8="))
        kind = next(kind for key, kind in kinds.items() if key in message)
        json_format.ParseDict(message, kind())


def test_figures_are_put_between_their_marks_and_nowhere_else() -> None:
    readme = text_of(ROOT / "README.md")
    table = figures_table(dict.fromkeys(SPEED, 1.25), SPEED)
    changed = with_figures(readme, "speed", table)
    assert table in changed
    assert with_figures(changed, "speed", "x") == with_figures(readme, "speed", "x")
    assert "| `contract` |" in section(changed, "Quality and speed")
    with pytest.raises(ValueError, match="figures: nothing"):
        with_figures(readme, "nothing", table)


def test_the_picture_of_the_readme_is_small_enough_to_load_at_once() -> None:
    assert (ROOT / "docs" / "images" / "contract.png").stat().st_size < 250_000
