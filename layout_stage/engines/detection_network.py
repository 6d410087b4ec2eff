"""A layout network of PP-StructureV3, from a model's folder."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from arcscribe.errors import ModelMissing
from arcscribe.types import RgbImage
from layout_stage.detection.detection_options import DetectionOptions, with_options
from layout_stage.detection.detections import Candidate, Detection
from layout_stage.detection.inference_config import read_inference_config
from layout_stage.detection.inputs import FloatArray, input_names, network_inputs
from layout_stage.detection.model_defaults import default_settings
from layout_stage.detection.postprocess import postprocess
from layout_stage.detection.raw_boxes import RawBoxes, candidates
from layout_stage.engines.batch_settings import BatchSettings
from layout_stage.engines.gathering import Gathering
from layout_stage.engines.network import LoadNetwork
from layout_stage.parts import PageSize

NETWORKS = ("inference.onnx", "inference.pdmodel", "inference.json")
"""The files that a folder may hold its network in, the best first."""

_EMPTY_PAGE: RgbImage = np.full((64, 64, 3), 255, np.uint8)
_MOST_TOLD = 200
"""Characters of a runtime's error."""

_Inputs = dict[str, FloatArray]
"""A page's inputs by name, each with a first dimension of 1."""
_Candidates = tuple[Candidate, ...]


class DetectionNetwork:
    """The loaded network. `detect` may be called from several threads, whose pages may run in one batch."""

    def __init__(
        self, folder: Path, load: LoadNetwork, options: DetectionOptions, batch: BatchSettings
    ) -> None:
        """Reads the folder's `inference.yml`, and loads its network.

        Raises:
            ModelMissing: a file is absent, or is not what it should be.
            DeviceMissing: there is no such device.
            InvalidConfig: the options do not fit the model, or what is to run it.
        """
        self._config = read_inference_config(folder)
        self._settings = with_options(default_settings(self._config), options, self._config.labels)
        self._network = load(network_file(folder))
        self._check_inputs(folder)
        self._check_run(folder)
        most = batch.pages if self._network.takes_batches else 1
        self._gathering = Gathering[_Inputs, _Candidates](self._run, most, batch.wait_ms / 1000)

    @property
    def name(self) -> str:
        """The model's own."""
        return self._config.name

    def detect(self, image: RgbImage) -> Sequence[Detection]:
        """What is on a page, in predicted reading order if the network predicts one.

        Raises:
            InferenceFailed: the network's outputs are not those of a layout network.
        """
        page = self._gathering.result(network_inputs([image], self._config))
        return postprocess(page, PageSize(image.shape[1], image.shape[0]), self._settings)

    def _run(self, pages: Sequence[_Inputs]) -> Sequence[_Candidates]:
        """The candidates of each page: in one run, if the inputs have one size."""
        if len({page["image"].shape for page in pages}) > 1:
            return [found for page in pages for found in self._run([page])]
        # One page is run as it is: to concatenate would copy it.
        inputs = (
            pages[0]
            if len(pages) == 1
            else {name: np.concatenate([page[name] for page in pages]) for name in pages[0]}
        )
        return candidates(RawBoxes.of(self._network.run(inputs)), self._config.labels, len(pages))

    def _check_inputs(self, folder: Path) -> None:
        """Raises ModelMissing unless the network takes what a layout network of its family does."""
        if lacking := set(input_names(self._config)) - set(self._network.input_names):
            raise ModelMissing(f"{folder}: its network has no input {', '.join(sorted(lacking))}")

    def _check_run(self, folder: Path) -> None:
        """Raises ModelMissing unless the network runs on an empty page, and answers as a layout network does.

        So what could fail on every page fails at the start.
        """
        try:
            self._run([network_inputs([_EMPTY_PAGE], self._config)])
        except Exception as error:  # the runtimes' own have no other class in common
            raise ModelMissing(f"{folder}: its network cannot be run: {_last_line(error)}") from error


def _last_line(error: Exception) -> str:
    """Runtimes tell in the lines before it where in their source they are."""
    return str(error).strip().rpartition("\n")[2][:_MOST_TOLD] or type(error).__name__


def network_file(folder: Path) -> Path:
    """The file in a model's folder that holds its network.

    Raises:
        ModelMissing: there is none.
    """
    for name in NETWORKS:
        if (folder / name).is_file():
            return folder / name
    raise ModelMissing(f"{folder} holds no {NETWORKS[0]}, nor {' or '.join(NETWORKS[1:])}")
