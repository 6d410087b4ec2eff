"""A converted model on its devices, as an engine."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import structlog

from arcscribe.inference.openvino import check_device
from arcscribe.types import StageModel
from vlm_stage.engines.engine import Engine
from vlm_stage.engines.engine_pool import EnginePool
from vlm_stage.engines.paddleocr_vl.batch_reader import BatchReader
from vlm_stage.engines.paddleocr_vl.crop_encoder import CropEncoder
from vlm_stage.engines.paddleocr_vl.decoding.decode_loop import DecodeLoop
from vlm_stage.engines.paddleocr_vl.decoding.generation import ModelTokens
from vlm_stage.engines.paddleocr_vl.decoding.sampler import Sampler
from vlm_stage.engines.paddleocr_vl.decoding.step_inputs import StepInputs
from vlm_stage.engines.paddleocr_vl.engine import PaddleOcrVlEngine
from vlm_stage.engines.paddleocr_vl.inputs.crop_preparer import CropPreparer
from vlm_stage.engines.paddleocr_vl.inputs.read_tokenizer import read_tokenizer
from vlm_stage.engines.paddleocr_vl.inputs.rotation import TextRotation
from vlm_stage.engines.paddleocr_vl.manifest import TOKENIZER, Manifest, check_files, read_manifest
from vlm_stage.engines.paddleocr_vl.networks.device_plan import DevicePlan
from vlm_stage.engines.paddleocr_vl.networks.load_networks import load_networks, plan_for
from vlm_stage.engines.paddleocr_vl.scheduling.scheduler import Scheduler
from vlm_stage.engines.paddleocr_vl.scheduling.settings import SchedulerSettings
from vlm_stage.engines.paddleocr_vl.settings import ENGINE, PaddleOcrVlSettings

PREPARING_THREADS = 2
"""Which cut up 10 to 20 of the largest crops in a second, and more of others."""
ROW_END = "<nl>"
"""The token that ends a row of a table in OTSL."""
ENCODED_AHEAD = 4
"""Crops that are encoded while all places are taken, where that costs the decoder nothing."""

_log = structlog.get_logger()


def load_paddleocr_vl(settings: PaddleOcrVlSettings, model_root: Path) -> Engine:
    """The engine with a model of the store, or of a folder, on each of its devices.

    Raises:
        ModelMissing: the model is not there, not whole, or put together of several.
        DeviceMissing: OpenVINO does not see a device.
        InvalidConfig: it cannot compile with these settings, or the memory for KV blocks holds none.
    """
    for device in settings.devices:
        check_device(device)
    folder = settings.folder(model_root)
    manifest = read_manifest(folder)
    check_files(folder, manifest)
    engines = [_on_device(folder, manifest, settings, device) for device in settings.devices]
    return engines[0] if len(engines) == 1 else EnginePool(engines)


def _on_device(
    folder: Path, manifest: Manifest, settings: PaddleOcrVlSettings, device: str
) -> PaddleOcrVlEngine:
    # In results a converted model is called as its folder is, of which the store has but one.
    model = StageModel(ENGINE, folder.resolve().name, device)
    parts = _Parts(folder, manifest, settings, model, plan_for(settings, device))
    return PaddleOcrVlEngine(model, parts.reader)


class _Parts:
    """What an engine is made of, for one device."""

    def __init__(
        self,
        folder: Path,
        manifest: Manifest,
        settings: PaddleOcrVlSettings,
        model: StageModel,
        plan: DevicePlan,
    ) -> None:
        self._manifest, self._settings, self._model, self._plan = manifest, settings, model, plan
        self._config = manifest.config
        self._tokenizer = read_tokenizer(folder / TOKENIZER, self._config)
        self._networks = load_networks(folder, self._config.vision, plan, settings.kv_memory_mb)
        self._log_kv_cache()

    def reader(self, when_prepared: Callable[[], None]) -> BatchReader:
        """All that a thread needs to read crops; `when_prepared` wakes it."""
        plan, settings = self._plan, self._settings
        preparer = CropPreparer(self._tokenizer, self._manifest.template, self._manifest.images, self._config)
        encoder = CropEncoder(
            self._networks.vision,
            lambda request: preparer.prepare(request.crop, request.prompt),
            ThreadPoolExecutor(PREPARING_THREADS, "paddleocr-vl-prepare"),
            when_prepared,
            overlaps=plan.overlaps,
            row_patches=plan.row_patches,
        )
        return BatchReader(
            self._model,
            self._tokens(),
            encoder,
            self._networks.embedder,
            self._decode_loop(),
            most_open=settings.max_sequences + (ENCODED_AHEAD if plan.overlaps else 0),
            max_new_tokens=settings.max_new_tokens,
            draft_tokens=settings.draft_tokens,
        )

    def _log_kv_cache(self) -> None:
        decoder = self._networks.decoder
        _log.info(
            "kv cache ready",
            device=self._model.device,
            megabytes=self._settings.kv_memory_mb,
            precision=self._plan.kv_precision,
            blocks=decoder.block_count,
            tokens=decoder.block_count * decoder.block_size,
            max_sequences=self._settings.max_sequences,
        )

    def _tokens(self) -> ModelTokens:
        return ModelTokens(self._tokenizer, self._config.eos_token_id, self._tokenizer.find_token(ROW_END))

    def _decode_loop(self) -> DecodeLoop:
        decoder, text = self._networks.decoder, self._config.text
        return DecodeLoop(
            Scheduler(self._scheduler_settings()),
            StepInputs(self._networks.embedder, TextRotation(text), decoder.block_size),
            decoder,
            Sampler(text.vocab_size),
            text,
        )

    def _scheduler_settings(self) -> SchedulerSettings:
        settings, decoder = self._settings, self._networks.decoder
        return SchedulerSettings(
            block_size=decoder.block_size,
            block_count=decoder.block_count,
            max_sequences=settings.max_sequences,
            token_budget=settings.token_budget,
            draft_budget=settings.draft_tokens,
        )
