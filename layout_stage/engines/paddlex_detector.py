"""The official layout detection: paddlex's own predictor, with all of its pre- and post-processing."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from arcscribe.errors import ModelMissing
from arcscribe.types import RgbImage
from layout_stage.detection.detection_options import DetectionOptions, with_options
from layout_stage.detection.detections import Detection
from layout_stage.detection.inference_config import read_inference_config
from layout_stage.detection.model_defaults import default_settings
from layout_stage.engines.paddlex_arguments import detections, predict_arguments
from layout_stage.engines.paddlex_import import predictor_maker
from layout_stage.engines.paddlex_settings import PaddlexSettings
from layout_stage.parts import PageSize


@dataclass(frozen=True, slots=True)
class PaddlexModel:
    """A layout model of paddlex."""

    name: str
    """Its official one, such as PP-DocLayout_plus-L."""
    folder: Path | None
    """Where its files are; None: where paddlex keeps or downloads those of its official models."""

    @classmethod
    def of(cls, path: Path) -> "PaddlexModel":
        """The model of a folder; of what is none, the official one of that name.

        Raises:
            ModelMissing: the folder holds no layout model's `inference.yml`.
        """
        return cls(read_inference_config(path).name, path) if path.is_dir() else cls(str(path), None)


class PaddlexDetector:
    """The loaded predictor. `detect` may be called from several threads; they wait for one another."""

    def __init__(self, model: PaddlexModel, paddlex: PaddlexSettings, options: DetectionOptions) -> None:
        """Has paddlex load the model, and download it where it is an official one that is not there.

        Raises:
            ModelMissing: paddlex cannot have the model, or cannot run it.
            InvalidConfig: there is no paddlex, or the options do not fit the model.
        """
        self._predictor = _predictor(model, paddlex)
        config = read_inference_config(Path(self._predictor.model_dir))
        settings = with_options(default_settings(config), options, config.labels)
        self._arguments = predict_arguments(settings, config)
        self._ordered = config.family.predicts_order
        self._lock = Lock()
        self.name = config.name

    def detect(self, image: RgbImage) -> Sequence[Detection]:
        """What is on a page, in predicted reading order if the network predicts one, else in paddlex's."""
        # paddlex takes arrays for OpenCV's: blue first.
        page = np.ascontiguousarray(image[..., ::-1])
        with self._lock:
            (answer,) = self._predictor([page], **self._arguments)
        return detections(answer["boxes"], PageSize(image.shape[1], image.shape[0]), ordered=self._ordered)


def _predictor(model: PaddlexModel, settings: PaddlexSettings) -> Any:
    create = predictor_maker()
    try:
        return create(
            model.name,
            model_dir=str(model.folder) if model.folder else None,
            engine=settings.engine,
            engine_config=_engine_config(settings.threads),
            device="cpu",
            batch_size=1,
        )
    except Exception as error:  # paddlex raises bare ones, too
        where = model.folder or "no folder, nor in official_models of $PADDLE_PDX_CACHE_HOME or ~/.paddlex"
        raise ModelMissing(f"paddlex cannot have {model.name} ({where}): {_first_line(error)}") from error


def _engine_config(threads: int) -> dict[str, dict[str, Any]]:
    """The settings of each way in which paddlex may run a network; `paddle` is one of two."""
    return {
        "onnxruntime": {"intra_op_num_threads": threads} if threads else {},
        # Without oneDNN, with which Paddle 3.3.1 breaks on PP-DocLayout_plus-L.
        "paddle_static": {"run_mode": "paddle", **({"cpu_threads": threads} if threads else {})},
        "paddle_dynamic": {},
    }


def _first_line(error: Exception) -> str:
    return next(iter(str(error).strip().splitlines()), "") or type(error).__name__
