"""PP-DocLayoutV2 and V3 of transformers with random weights, as folders that a layout stage takes."""

import math
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest import mock

import torch
import transformers

from layout_stage.detection.inference_config import read_inference_config
from tests.layout_stage.detection.reference import FIXTURES

LABELS = read_inference_config(FIXTURES / "v3").labels
THRESHOLD = 0.5
"""Of scores, and of masks: transformers has one for both."""
_OPSET = 17
_GAIN = 1.3
"""Of weights, beside what keeps the spread of numbers as it is."""
_NEAR = 0.1
"""Of how far boxes are moved away from masks."""
_SMALL = 1.5
"""How far, in standard deviations, a mask's pixel is over the mean of all."""
_TORCHVISION = ("torchvision", "transforms", "v2", "functional")
_NAMES = ("im_shape", "image", "scale_factor")


class PaddleOutputs(torch.nn.Module):  # type: ignore[misc]  # torch has no types where these are checked
    """A network with the inputs and outputs of PaddlePaddle's exports, boxes in pixels of the page."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model, self.votes_shown = model, not _draws_masks(model)

    def forward(self, im_shape: Any, image: Any, scale_factor: Any) -> tuple[Any, ...]:
        found = self.model(pixel_values=image)
        scores, place = found.logits.sigmoid().flatten(1).topk(found.logits.shape[1])
        row, label = place // found.logits.shape[2], place % found.logits.shape[2]
        votes = _votes(found.order_logits)
        rank = votes.argsort(1).argsort(1)
        columns = [label.float(), scores]
        columns += _sides(_rows(found.pred_boxes, row), (im_shape / scale_factor + 0.5).floor())
        columns += [rank.gather(1, row).float()]
        if self.votes_shown:
            columns += [votes.gather(1, row)]
        table = torch.stack(columns, 2).flatten(0, 1)
        counts = torch.full_like(im_shape[:, 0], found.logits.shape[1]).int()
        if self.votes_shown:
            return table, counts
        masks = found.out_masks.sigmoid() > THRESHOLD
        row = row[:, :, None, None].expand(-1, -1, *masks.shape[2:])
        return table, counts, masks.int().gather(1, row).flatten(0, 1)


def _rows(values: Any, row: Any) -> Any:
    return values.gather(1, row[:, :, None].expand(-1, -1, values.shape[2]))


def _sides(boxes: Any, size: Any) -> list[Any]:
    """Left, top, right, bottom from centres and sizes in parts of a page of that height and width."""
    x, y, width, height = boxes.unbind(2)
    page_height, page_width = size[:, :1], size[:, 1:]
    halves = ((x - width / 2, page_width), (y - height / 2, page_height))
    return [side * of for side, of in (*halves, (x + width / 2, page_width), (y + height / 2, page_height))]


def _votes(order_logits: Any) -> Any:
    """For each query by how many others it is preceded, each counted as far as it is sure."""
    before = order_logits.sigmoid()
    return before.triu(1).sum(1) + (1 - before.transpose(1, 2)).tril(-1).sum(1)


def network_of(version: str, **sizes: Any) -> Any:
    """A network as transformers makes it, its sizes the published ones where none are given."""
    sizes |= {"num_labels": len(LABELS)}
    if version == "V2":
        sizes |= {
            "class_thresholds": [THRESHOLD] * len(LABELS),
            "class_order": [n % 20 for n in range(len(LABELS))],
        }
    config = getattr(transformers, f"PPDocLayout{version}Config")(**sizes)
    return getattr(transformers, f"PPDocLayout{version}ForObjectDetection")(config).eval()


def toy(version: str) -> Any:
    """A network of a few hundred thousand weights, for inputs of 160 pixels."""
    stages = ["stage1", "stage2", "stage3", "stage4"]
    seen = stages if version == "V3" else stages[1:]
    backbone = {
        "model_type": "hgnet_v2",
        "arch": "L",
        "out_features": seen,
        "depths": [1] * 4,
        "embedding_size": 8,
        "hidden_sizes": [16, 24, 32, 40],
        "stem_channels": [3, 8, 8],
        "stage_in_channels": [8, 16, 24, 32],
        "stage_mid_channels": [8] * 4,
        "stage_out_channels": [16, 24, 32, 40],
        "stage_num_blocks": [1] * 4,
        "stage_numb_of_layers": [1] * 4,
    }
    order = {
        "hidden_size": 32,
        "num_attention_heads": 4,
        "intermediate_size": 32,
        "num_hidden_layers": 1,
        "coordinate_size": 6,
        "shape_size": 4,
    }
    return network_of(
        version,
        backbone_config=backbone,
        num_queries=30,
        d_model=32,
        encoder_in_channels=[24, 32, 40],
        encoder_hidden_dim=32,
        encoder_ffn_dim=32,
        encoder_attention_heads=4,
        decoder_in_channels=[32] * 3,
        decoder_ffn_dim=32,
        decoder_layers=2,
        decoder_attention_heads=4,
        **({"x4_feat_dim": 16} if version == "V3" else {"reading_order_config": order}),
    )


def with_random_weights(model: Any, seed: int, page: Any, things: int) -> None:
    """Gives a network weights with which places of a page differ, and which is sure of some of what it sees.

    transformers starts normalisations of these networks near 0: all places then look alike, and nothing says
    which queries are to be chosen.

    Args:
        model: the network.
        seed: of the weights.
        page: an input, by which biases are set.
        things: how many scores of that page are over the threshold.
    """
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            noise = torch.randn(weight.shape, generator=generator)
            if weight.dim() > 1:
                weight.copy_(noise * _GAIN / math.sqrt(weight[0].numel()))
            else:
                weight.copy_(0.1 * noise + (1.0 if _is_norm(model, name) else 0.0))
        if _draws_masks(model):
            _set_masks(model.model, page)
        likely = model(pixel_values=page).logits.flatten().topk(things + 1).values
        heads = model.model.decoder.class_embed
        last = heads[-1] if isinstance(heads, torch.nn.ModuleList) else heads
        last.bias -= likely[-2:].mean()


def _draws_masks(model: Any) -> bool:
    return hasattr(model.model, "mask_query_head")


def _is_norm(model: Any, name: str) -> bool:
    """Whether a parameter is what a normalisation multiplies by."""
    owner, _, kind = name.rpartition(".")
    return kind == "weight" and "Norm" in type(model.get_submodule(owner)).__name__


def _set_masks(model: Any, page: Any) -> None:
    """Makes masks cover a part of a page and boxes lie near; a mask's first channel is taken off it."""
    drawn, query = model.encoder.encoder_mask_output.conv, model.mask_query_head.layers[-1]
    drawn.weight[0], drawn.bias[0] = 0.0, -1.0
    query.weight[0], query.bias[0] = 0.0, 0.0
    model.decoder.bbox_embed.layers[-1].weight *= _NEAR
    seen = model(pixel_values=page).out_masks
    query.bias[0] = seen.mean() + _SMALL * seen.std()


def write_config(family: str, side: int, folder: Path) -> None:
    """Writes a model's `inference.yml`, for inputs of that side."""
    yml = (FIXTURES / family / "inference.yml").read_text(encoding="utf-8")
    (folder / "inference.yml").write_text(yml.replace("- 800\n", f"- {side}\n"), encoding="utf-8")


def export(model: Any, side: int, folder: Path) -> None:
    """Writes a network as `inference.onnx`."""
    size = torch.tensor([[float(side), float(side)]])
    inputs = (size, torch.rand(1, 3, side, side), torch.ones(1, 2))
    with _only_what_onnx_has(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            PaddleOutputs(model).eval(),
            inputs,
            folder / "inference.onnx",
            dynamo=False,
            opset_version=_OPSET,
            input_names=list(_NAMES),
        )


def outputs(model: Any, image: Any) -> Any:
    """transformers' outputs for one input, queries over their threshold in the order of their numbers."""
    with torch.no_grad(), _only_what_onnx_has():
        return model(pixel_values=image)


@contextmanager
def _only_what_onnx_has() -> Iterator[None]:
    """Has what transformers' PP-DocLayoutV2 calls and ONNX lacks computed by what it has.

    The queries over their threshold go first into its reading order, in whatever order torch sorts equal
    ones. What it predicts hangs on that, and ONNX sorts otherwise. Here they stay in the order of their
    numbers.
    """

    def argsort(values: Any, dim: int = -1, descending: bool = False) -> Any:
        count = values.shape[dim]
        places = torch.arange(count)
        distinct = values * count - places if descending else values * count + places
        return distinct.sort(dim, descending)[1]

    def take_along_dim(values: Any, indices: Any, dim: int) -> Any:
        return values.gather(dim, indices)

    with mock.patch.multiple(torch, argsort=argsort, take_along_dim=take_along_dim):
        yield


def processor(version: str, side: int) -> Any:
    """What transformers makes of the outputs of a version's network whose input has that side.

    Its module imports torchvision, of which this part uses nothing; no version of that fits every torch.
    """
    names = [".".join(_TORCHVISION[: length + 1]) for length in range(len(_TORCHVISION))]
    absent = {name: ModuleType(name) for name in names}
    absent[names[-2]].functional = absent[names[-1]]  # type: ignore[attr-defined]
    package = f"pp_doclayout_{version.lower()}"
    with mock.patch.dict(sys.modules, absent):
        module = import_module(f"transformers.models.{package}.image_processing_{package}")
    made = object.__new__(getattr(module, f"PPDocLayout{version}ImageProcessor"))
    made.size = {"height": side, "width": side}
    return made
