"""The engines by name, and what the processes are told to run them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from arcscribe.errors import InvalidOption
from arcscribe.models import ModelStore, pull_command
from arcscribe.tools.layout_models import CDLA
from arcscribe.tools.local_service import LocalSettings

PRODUCT_MODEL = "paddleocr-vl-1.6-int8"
"""The converted model that is taken where several are in the store and none is named."""
PRODUCT_CHECKPOINT = "paddleocr-vl-1.6"


VLM_PAGE_SECONDS = 3600.0
"""How long a page may take a VLM that we start; on a CPU it takes many minutes."""


class EmbeddedEngine(StrEnum):
    """The VLM stage's engines whose models ship inside packages."""

    PP_OCRV6 = "pp-ocrv6"
    PP_OCRV6_TINY = "pp-ocrv6-tiny"
    PP_OCRV5 = "pp-ocrv5"


class EngineName(StrEnum):
    """All engines of the VLM stage."""

    PADDLEOCR_VL = "paddleocr-vl"
    PP_OCRV6 = "pp-ocrv6"
    PP_OCRV6_TINY = "pp-ocrv6-tiny"
    PP_OCRV5 = "pp-ocrv5"


class Draft(StrEnum):
    """What goes with crops of text to the engine."""

    NONE = "none"
    PP_OCR = "pp-ocr"


DEFAULT_ENGINE = EmbeddedEngine.PP_OCRV6


@dataclass(frozen=True, slots=True)
class EngineChoice:
    """What reads the regions. Empty: as the processes' own settings say.

    `model` is a converted model, for paddleocr-vl; `devices` are as OpenVINO calls them.
    """

    engine: EngineName
    model: str = ""
    devices: tuple[str, ...] = ()
    draft: Draft = Draft.NONE

    def __str__(self) -> str:
        return f"{self.engine} with {self.model}" if self.model else str(self.engine)


def choose_engine(
    store: ModelStore,
    engine: EngineName | None,
    model: str = "",
    devices: Sequence[str] = (),
    draft: Draft = Draft.NONE,
) -> EngineChoice:
    """The engine that is asked for; where none is, paddleocr-vl if a converted model is there or named.

    Raises:
        InvalidOption: options that the engine does not have.
    """
    converted = store.converted_names()
    if engine is None:
        engine = EngineName.PADDLEOCR_VL if model or converted else EngineName(DEFAULT_ENGINE)
    if engine is EngineName.PADDLEOCR_VL:
        model = _absolute(model, converted) or _best(converted)
    return checked(EngineChoice(engine, model, tuple(devices), draft))


def checked(choice: EngineChoice) -> EngineChoice:
    """The choice, if its engine has such options.

    Raises:
        InvalidOption: it has not.
    """
    engine = choice.engine
    if engine is not EngineName.PADDLEOCR_VL:
        if choice.model:
            raise InvalidOption(
                f"a model is chosen for paddleocr-vl only; {engine} has its own", field="model"
            )
        if choice.draft is not Draft.NONE:
            raise InvalidOption(f"drafts are for paddleocr-vl only; {engine} reads without", field="draft")
        if len(choice.devices) > 1:
            raise InvalidOption(
                f"several devices are for paddleocr-vl only, not for {engine}", field="device"
            )
    return choice


def missing_vlm(store: ModelStore) -> str:
    """A line that says how to have the VLM."""
    pull = pull_command(PRODUCT_CHECKPOINT, pinned=store.catalog.model(PRODUCT_CHECKPOINT).pinned)
    convert = f"arcscribe models convert {PRODUCT_CHECKPOINT}"
    return f"{DEFAULT_ENGINE} read this, as no PaddleOCR-VL is here; to have it: {pull} && {convert}"


def local_settings(
    engine: EngineName | EmbeddedEngine | EngineChoice, base: LocalSettings | None = None
) -> LocalSettings:
    """Settings under which the processes run an engine and the text detector that goes with it.

    What `base` says goes before.
    """
    base = base or LocalSettings()
    choice = engine if isinstance(engine, EngineChoice) else EngineChoice(EngineName(engine))
    own = _paddleocr_vl(choice) if choice.engine is EngineName.PADDLEOCR_VL else _pp_ocr(choice)
    return replace(
        base,
        layout={**own.layout, **base.layout},
        vlm={**(own.vlm or {}), **(base.vlm or {})},
        orchestrator={**own.orchestrator, **base.orchestrator},
        drafts=None if own.drafts is None else {**own.drafts, **(base.drafts or {})},
    )


def served_engines(settings: LocalSettings) -> str:
    """What finds the regions, what reads them, and what drafts them, for people."""
    vlm = settings.vlm or {}
    engine = str(vlm.get("engine", DEFAULT_ENGINE))
    told = vlm.get("paddleocr_vl")
    model = told.get("model", PRODUCT_MODEL) if isinstance(told, Mapping) else PRODUCT_MODEL
    reader = f"{engine} with {model}" if engine == EngineName.PADDLEOCR_VL else engine
    drafts = "" if settings.drafts is None else f", drafts by {settings.drafts.get('engine', DEFAULT_ENGINE)}"
    return f"regions by {settings.layout.get('model', CDLA)}, read by {reader}{drafts}"


def _paddleocr_vl(choice: EngineChoice) -> LocalSettings:
    table = {"model": choice.model, "devices": list(choice.devices)}
    told = {key: value for key, value in table.items() if value}
    return LocalSettings(
        layout={"text_detection": f"{DEFAULT_ENGINE}-det"},
        vlm={"engine": str(choice.engine), "paddleocr_vl": told},
        orchestrator={"vlm": {"timeout_seconds": VLM_PAGE_SECONDS}},
        drafts={"engine": str(DEFAULT_ENGINE)} if choice.draft is Draft.PP_OCR else None,
    )


def _pp_ocr(choice: EngineChoice) -> LocalSettings:
    device = {"openvino": {"device": choice.devices[0]}} if choice.devices else {}
    return LocalSettings(
        layout={"text_detection": f"{choice.engine}-det"}, vlm={"engine": str(choice.engine), **device}
    )


def _absolute(model: str, converted: Sequence[str]) -> str:
    """A model of the store by its name, and another one by the whole path of its folder."""
    return str(Path(model).resolve()) if model and model not in converted and Path(model).is_dir() else model


def _best(converted: Sequence[str]) -> str:
    """The product's own; else the last by name of those named like it, or of any; empty if there is none."""
    if PRODUCT_MODEL in converted:
        return PRODUCT_MODEL
    return max(converted, key=lambda name: (name.startswith("paddleocr-vl-"), name), default="")
