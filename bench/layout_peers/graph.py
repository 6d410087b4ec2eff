"""Writes a layout network of PP-DocLayout_plus-L's sizes with random weights, for Paddle and in ONNX.

    python -m bench.layout_peers.graph FOLDER PAGE

The network is paddlex's own RT-DETR-L (`inference/models/object_detection/modeling/rt_detr.py` of 3.7.2), set
as paddlex sets it for PP-DocLayout_plus-L. `inference.json` and `inference.pdiparams` are what Paddle saves,
`inference.onnx` what paddle2onnx makes of these. PAGE, a picture, sets the scores' bias so that a page has
about as many regions as a page of a document does.

Runs in the environment with paddlex and paddlepaddle, and paddle2onnx beside them.
"""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import paddle  # type: ignore[import-not-found]
import paddle2onnx  # type: ignore[import-not-found]
from paddle.static import InputSpec  # type: ignore[import-not-found]
from paddlex.inference.models.object_detection.modeling import RTDETR, rt_detr
from paddlex.modules.base.utils.pdparams2safetensors.model_config import MODEL_CONFIGS
from PIL import Image

from bench.layout_peers.exportable import repeating, sampled
from tests.reference_paddlex.families import FAMILIES

FAMILY = next(family for family in FAMILIES if family.model_name == "PP-DocLayout_plus-L")
REGIONS, THRESHOLD, SPREAD = 25, 0.5, 1.0
"""How many scores of the page are above the threshold; the logits' standard deviation."""
OPSET = 16


class ExportedNetwork(paddle.nn.Layer):  # type: ignore[misc]
    """RT-DETR with the inputs and outputs of an exported layout network."""

    def __init__(self, network: Any) -> None:
        super().__init__()
        self.network = network

    def forward(self, im_shape: Any, image: Any, scale_factor: Any) -> Any:
        """Rows of class, score and box, in pixels of the page, the highest scores first; and their count."""
        boxes, logits = predictions(self.network, image)
        page = paddle.floor(im_shape / scale_factor + 0.5).flip(1).tile([1, 2]).unsqueeze(1)
        centre, size = paddle.split(boxes, 2, axis=-1)
        corners = paddle.concat([centre - size / 2, centre + size / 2], axis=-1) * page
        queries, classes = logits.shape[1:]
        scores, places = paddle.topk(paddle.nn.functional.sigmoid(logits).flatten(1), queries, axis=1)
        query = (places // classes).unsqueeze(-1).expand([-1, -1, 4])
        kinds = (places % classes).unsqueeze(-1).astype("float32")
        rows = [kinds, scores.unsqueeze(-1), paddle.take_along_axis(corners, query, axis=1)]
        counts = paddle.ones_like(places).sum(1).astype("int32")
        return paddle.concat(rows, axis=-1).reshape([-1, 6]), counts


def predictions(network: Any, image: Any) -> tuple[Any, Any]:
    """Boxes (pages, queries, 4), centre and size in parts of the page; logits (pages, queries, classes)."""
    outputs = network.model(image)
    return outputs["intermediate_reference_points"][:, -1], outputs["intermediate_logits"][:, -1]


def random_network(page: Path) -> Any:
    """RT-DETR-L with seeded weights, whose scores are spread about the threshold on that page."""
    # Batch normalisation, which every engine merges into convolutions, in place of its frozen form, which is
    # how paddlex runs the published weights without exporting them.
    config = dict(MODEL_CONFIGS[FAMILY.model_name], freeze_backbone_batch_norms=False)
    network = RTDETR(RTDETR.config_class(**config))
    network.eval()
    _randomise(network)
    picture = Image.open(page).convert("RGB").resize((FAMILY.side, FAMILY.side), Image.Resampling.BICUBIC)
    image = np.asarray(picture, np.float32).transpose(2, 0, 1)[None] / 255
    _spread_scores(network, paddle.to_tensor(image))
    return network


def _randomise(network: Any) -> None:
    """Weights that keep the size of what passes through: He's for convolutions, LeCun's for products."""
    random = np.random.default_rng(0)
    for weight in network.parameters():
        shape = weight.shape
        if len(shape) == 4:
            weight.set_value(random.normal(0, (2 / np.prod(shape[1:])) ** 0.5, shape).astype(np.float32))
        elif len(shape) == 2:
            weight.set_value(random.normal(0, shape[0] ** -0.5, shape).astype(np.float32))


def _spread_scores(network: Any, image: Any) -> None:
    head = network.model.decoder.class_embed[-1]
    with paddle.no_grad():
        logits = predictions(network, image)[1].numpy()
        head.weight.set_value(head.weight * (SPREAD / logits.std()))
        logits = predictions(network, image)[1].numpy()
        least = np.sort(logits, axis=None)[-REGIONS - 1]
        head.bias.set_value(head.bias + float(np.log(THRESHOLD / (1 - THRESHOLD)) - least))


def save_for_paddle(network: Any, folder: Path) -> None:
    """Writes `inference.json`, `inference.pdiparams`, `inference.yml`; the number of pages is left open."""
    inputs = (("im_shape", (2,)), ("image", (3, FAMILY.side, FAMILY.side)), ("scale_factor", (2,)))
    specs = [InputSpec([-1, *shape], "float32", name) for name, shape in inputs]
    paddle.jit.save(
        paddle.jit.to_static(ExportedNetwork(network), specs, full_graph=True), str(folder / "inference")
    )
    # JSON is YAML.
    (folder / "inference.yml").write_text(json.dumps(FAMILY.inference_yml(), indent=1), encoding="utf-8")


def save_onnx(folder: Path) -> None:
    """Writes `inference.onnx` from Paddle's files.

    Raises:
        SystemExit: paddle2onnx does not take the network; it says why.
    """
    target = folder / "inference.onnx"
    paddle2onnx.export(
        str(folder / "inference.json"), str(folder / "inference.pdiparams"), str(target), opset_version=OPSET
    )
    if not target.is_file():
        raise SystemExit("paddle2onnx did not convert the network")


def main() -> None:
    folder, page = map(Path, sys.argv[1:])
    rt_detr.MultiScaleDeformableAttention.forward = sampled
    rt_detr.F = repeating(rt_detr.F)
    folder.mkdir(parents=True, exist_ok=True)
    paddle.seed(0)
    save_for_paddle(random_network(page), folder)
    save_onnx(folder)


if __name__ == "__main__":
    main()
