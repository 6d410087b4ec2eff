"""UVDoc with random weights: our picture of a page, against transformers' of the same network."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch.nn.functional import grid_sample, interpolate
from transformers import UVDocConfig, UVDocModel
from transformers.models.uvdoc.image_processing_uvdoc import UVDocImageProcessor

from arcscribe.inference.openvino import OpenVinoSettings
from layout_stage.engines.unwarping_network import UnwarpingNetwork

NETWORK_SIZE = (712, 488)
BEND = 40.0
"""By how much random weights' small moves are made larger, so that the page bends by a tenth of it."""


class WholePage(torch.nn.Module):  # type: ignore[misc]  # torch has no types where these are checked
    """The network as PaddlePaddle exports it: a page of any size in, the flat page out."""

    def __init__(self, model: UVDocModel) -> None:
        super().__init__()
        self.model = model

    def grid(self, pixels: torch.Tensor) -> Any:
        """Where each point of the flat page lies on the page, from -1 to 1, coarsely."""
        rows, columns = torch.linspace(-1, 1, 45), torch.linspace(-1, 1, 31)
        y, x = torch.meshgrid(rows, columns, indexing="ij")
        return torch.stack((x, y))[None] + BEND * self.model(pixels).last_hidden_state

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        small = interpolate(image, size=NETWORK_SIZE, mode="bilinear", align_corners=True)
        size = (image.shape[2], image.shape[3])
        grid = interpolate(self.grid(small), size=size, mode="bilinear", align_corners=True)
        return grid_sample(image, grid.permute(0, 2, 3, 1), align_corners=True)


@pytest.fixture(scope="module")
def network() -> WholePage:
    torch.manual_seed(3)
    stages = [f"stage{number}" for number in range(1, 7)]
    config = UVDocConfig(backbone_config={"model_type": "uvdoc_backbone", "out_features": stages})
    whole = WholePage(UVDocModel(config))
    whole.eval()
    return whole


@pytest.fixture(scope="module")
def file(network: WholePage, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("uvdoc") / "inference.onnx"
    names = {"input_names": ["image"], "output_names": ["fetch_name_0"]}
    open_sizes = {"image": {2: "height", 3: "width"}}
    page = torch.rand(1, 3, 300, 200)
    torch.onnx.export(
        network, (page,), path, dynamo=False, opset_version=16, dynamic_axes=open_sizes, **names
    )
    return path


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("size", [(900, 700), (640, 1011)])
def test_a_flat_page_is_transformers_own_to_one_level(
    network: WholePage, file: Path, size: tuple[int, int]
) -> None:
    image = np.random.default_rng(1).integers(0, 256, (*size, 3), dtype=np.uint8)
    planes = torch.from_numpy(image[:, :, ::-1].copy()).permute(2, 0, 1)[None].float() / 255
    with torch.no_grad():
        small = interpolate(planes, size=NETWORK_SIZE, mode="bilinear", align_corners=True)
        processor: Any = UVDocImageProcessor
        (expected,) = processor.post_process_document_rectification(None, network.grid(small), [planes[0]])
    # Its last dimension is turned about: the planes were blue first.
    theirs = expected["images"].numpy().astype(int)
    ours = UnwarpingNetwork(file, OpenVinoSettings()).unwarp(image).astype(int)
    assert np.abs(ours - image).mean() > 10  # it did bend
    assert np.abs(ours - theirs).max() <= 1
