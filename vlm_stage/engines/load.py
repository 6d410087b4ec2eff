"""The engines by name, and where each one's files are in the model store."""

import os
from dataclasses import dataclass
from pathlib import Path

from arcscribe.errors import InvalidConfig, ModelMissing
from arcscribe.inference.openvino import OpenVinoSettings, check_cache_dir, check_device
from arcscribe.models.store import ModelStore
from arcscribe.types import StageModel
from vlm_stage.engines.engine import Engine
from vlm_stage.engines.paddleocr_vl.settings import ENGINE as PADDLEOCR_VL
from vlm_stage.engines.paddleocr_vl.settings import PaddleOcrVlSettings
from vlm_stage.engines.pp_ocr.crop_cutter import CropCutter
from vlm_stage.engines.pp_ocr.engine import PpOcrEngine
from vlm_stage.engines.pp_ocr.line_recognizer import LineRecognizer, RecognizerPaths
from vlm_stage.engines.pp_ocr.table_reader import TableReader
from vlm_stage.settings import VlmSettings


@dataclass(frozen=True, slots=True)
class PpOcrFiles:
    """Files of one PP-OCR generation, as `model/file` below the store's root.

    Where `dictionary` is empty, the recogniser's own metadata hold the characters.
    """

    model_name: str
    detector: str
    recognizer: str
    dictionary: str = ""


PP_OCR = {
    "pp-ocrv6": PpOcrFiles(
        "PP-OCRv6_rec_small",
        "pp-ocrv6-det/PP-OCRv6_det_small.onnx",
        "pp-ocrv6-rec/PP-OCRv6_rec_small.onnx",
    ),
    "pp-ocrv6-tiny": PpOcrFiles(
        "PP-OCRv6_rec_tiny",
        "pp-ocrv6-tiny-det/det.onnx",
        "pp-ocrv6-tiny-rec/rec.onnx",
        "pp-ocrv6-tiny-rec/ppocrv6_tiny_dict.txt",
    ),
    "pp-ocrv5": PpOcrFiles(
        "PP-OCRv5_mobile_rec",
        "pp-ocrv5-det/det.onnx",
        "pp-ocrv5-rec/rec.onnx",
        "pp-ocrv5-rec/ppocrv5_dict.txt",
    ),
}
TABLE_MODEL = "slanet-plus/slanet-plus.onnx"
GPU_BATCH = 8
"""Lines read at once on a GPU.

On a CPU lines are read one by one, as many beside each other as there are threads: on 2 cores that took 6.4
CPU-seconds for 240 lines of real pages, batches of 4 sorted by width 7.0, and batches of 8 8.1.
"""


def check_engine(settings: VlmSettings, store: ModelStore) -> None:
    """Sees that what the engine needs is there, which takes no time, before anything is loaded.

    Raises:
        InvalidConfig: there is no engine of that name, or its `cache_dir` cannot be written to.
        ModelMissing: a model is not in the store, or damaged.
        DeviceMissing: OpenVINO does not see a device.
    """
    if settings.engine == PADDLEOCR_VL:
        _check_converted(settings.paddleocr_vl, store)
        for device in settings.paddleocr_vl.devices:
            check_device(device)
        check_cache_dir(settings.paddleocr_vl.cache_dir)
        return
    files = _pp_ocr_files(settings.engine)
    dictionary = (files.dictionary,) if files.dictionary else ()
    for file in (files.detector, files.recognizer, *dictionary, TABLE_MODEL):
        store.path(*file.split("/"))
    check_cache_dir(settings.openvino.cache_dir)


def _check_converted(settings: PaddleOcrVlSettings, store: ModelStore) -> None:
    """Raises ModelMissing where the converted model is not there, with the names of those that are."""
    try:
        settings.folder(store.root)
    except ModelMissing as error:
        if names := store.converted_names():
            message = f"{error.message}; or let `model` be one that is there: {', '.join(names)}"
            raise ModelMissing(message, **error.details) from error
        raise


def load_engine(settings: VlmSettings, model_root: Path) -> Engine:
    """The engine that the settings name, loaded and running.

    Raises:
        InvalidConfig: there is no engine of that name, or it cannot run with these settings.
        ModelMissing: a file is not in the store, or damaged.
        DeviceMissing: OpenVINO does not see the device.
    """
    if settings.engine == PADDLEOCR_VL:
        from vlm_stage.engines.paddleocr_vl.load import (  # noqa: PLC0415  # PP-OCR does without all of it
            load_paddleocr_vl,
        )

        return load_paddleocr_vl(settings.paddleocr_vl, model_root)
    files = _pp_ocr_files(settings.engine)
    return _load_pp_ocr(settings.engine, files, model_root, settings.openvino)


def _pp_ocr_files(name: str) -> PpOcrFiles:
    if name not in PP_OCR:
        raise InvalidConfig(f"there is no engine {name!r}; there are: {', '.join((PADDLEOCR_VL, *PP_OCR))}")
    return PP_OCR[name]


def _load_pp_ocr(name: str, files: PpOcrFiles, root: Path, settings: OpenVinoSettings) -> PpOcrEngine:
    on_cpu = settings.device == "CPU"
    # On a GPU, one thread prepares while the other waits.
    threads = (settings.threads or available_cpus()) if on_cpu else 2
    dictionary = root / files.dictionary if files.dictionary else None
    paths = RecognizerPaths(root / files.recognizer, dictionary)
    return PpOcrEngine(
        StageModel(name, files.model_name, settings.device),
        LineRecognizer(paths, settings, threads),
        CropCutter(root / files.detector, settings),
        TableReader(root / TABLE_MODEL),
        threads=threads,
        batch_size=1 if on_cpu else GPU_BATCH,
    )


def available_cpus() -> int:
    """How many CPUs this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
