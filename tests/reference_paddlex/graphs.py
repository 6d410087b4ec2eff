"""Small ONNX networks with the inputs and outputs of PP-StructureV3's layout models.

What they say depends on the image, so that a mistake in preparing it shows: sixteen means of the page shift
every box and score a little. All else is as exported models have it: names, shapes, types, and how boxes come
back to the page's own pixels.
"""

from typing import Any

import numpy as np
import onnx  # type: ignore[import-not-found]
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from tests.reference_paddlex.families import ModelFamily
from tests.reference_paddlex.rows import Row, rows_for

_GRID = 4
_CHANNELS = (0.5, 0.3, 0.2)
"""Weights of the page's red, green and blue: unlike, so that their order matters."""
_SHIFT, _SWAY = 0.0015, 0.3
"""How far an image moves box sides, in parts of the page, and the logits of scores, times its contrast."""
_MASK_SIDE = 200
_WEAK = 0.3
"""The score under which PicoDet's own suppression drops a box."""


class _Graph:
    """Nodes in the order in which they are added; each adds one tensor and gives back its name."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def constant(self, value: Any, dtype: Any = np.float32) -> str:
        name = f"constant_{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(value, dtype), name))
        return name

    def add(self, operator: str, *inputs: str, output: str = "", **attributes: Any) -> str:
        name = output or f"tensor_{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, list(inputs), [name], **attributes))
        return name

    def reshaped(self, tensor: str, *shape: int, output: str = "") -> str:
        return self.add("Reshape", tensor, self.constant(shape, np.int64), output=output)


def network(family: ModelFamily) -> Any:
    """The network of one family, as onnx.ModelProto."""
    rows = rows_for(family.labels)
    graph = _Graph()
    relative, scores = _seen(graph, family, rows)
    columns = [_column(graph, [family.labels.index(row.label) for row in rows], scores), scores]
    columns.append(_on_page(graph, family, relative))
    order = np.random.default_rng(7).permutation(len(rows)) // (2 if family.columns == 8 else 1)
    if family.columns >= 7:
        columns.append(_column(graph, order, scores))
    if family.columns == 8:
        columns.append(_column(graph, np.arange(len(rows)) * 0.5, scores))
    table = graph.add("Concat", *columns, axis=2)
    outputs = [("fetch_name_0", TensorProto.FLOAT, [None, family.columns])]
    outputs.append(("fetch_name_1", TensorProto.INT32, [None]))
    if family.is_picodet:
        _strong_rows(graph, table, scores, family.columns)
    else:
        graph.reshaped(table, -1, family.columns, output="fetch_name_0")
        _count(graph, graph.add("Add", graph.add("Mul", scores, graph.constant(0)), graph.constant(1)))
    if family.masks:
        _masks(graph, relative, rows)
        outputs.append(("fetch_name_2", TensorProto.INT32, [None, _MASK_SIDE, _MASK_SIDE]))
    return _model(graph, family, outputs)


def _seen(graph: _Graph, family: ModelFamily, rows: tuple[Row, ...]) -> tuple[str, str]:
    """Boxes of shape (pages, rows, 4), in parts of the page, and scores of shape (pages, rows, 1)."""
    grey = graph.add("Conv", "image", graph.constant(np.reshape(_CHANNELS, (1, 3, 1, 1))))
    tile = family.side // _GRID
    means = graph.add("AveragePool", grey, kernel_shape=[tile, tile], strides=[tile, tile])
    features = graph.reshaped(means, -1, _GRID * _GRID)
    spread = 1.0 if family.is_picodet else 4.0
    random = np.random.default_rng(family.side + len(family.labels))
    boxes = _balanced(random.normal(0, _SHIFT * spread, (_GRID * _GRID, 4 * len(rows))))
    sway = _balanced(random.normal(0, _SWAY * spread, (_GRID * _GRID, len(rows))))
    shift = graph.reshaped(graph.add("MatMul", features, graph.constant(boxes)), -1, len(rows), 4)
    turn = graph.reshaped(graph.add("MatMul", features, graph.constant(sway)), -1, len(rows), 1)
    relative = graph.add("Add", shift, graph.constant([[row.box for row in rows]]))
    base = np.array([row.score for row in rows]).reshape(1, -1, 1)
    logits = graph.add("Add", turn, graph.constant(np.log(base / (1 - base))))
    return relative, graph.add("Sigmoid", logits)


def _balanced(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Weights for which a page of one colour is nothing."""
    return np.asarray(weights - weights.mean(axis=0))


def _column(graph: _Graph, values: Any, like: str) -> str:
    """The same value in a row of every page; shape (pages, rows, 1)."""
    nothing = graph.add("Mul", like, graph.constant(0))
    return graph.add("Add", nothing, graph.constant(np.reshape(values, (1, -1, 1))))


def _on_page(graph: _Graph, family: ModelFamily, relative: str) -> str:
    """Boxes in pixels of the page: its size comes from the inputs, as in RT-DETR's post-processing."""
    shape = graph.constant([[family.side, family.side]]) if family.is_picodet else "im_shape"
    size = graph.add("Div", shape, "scale_factor")
    if not family.is_picodet:
        size = graph.add("Floor", graph.add("Add", size, graph.constant(0.5)))
    sides = graph.add("Gather", size, graph.constant([1, 0, 1, 0], np.int64), axis=1)
    return graph.add("Mul", relative, graph.add("Unsqueeze", sides, graph.constant([1], np.int64)))


def _strong_rows(graph: _Graph, table: str, scores: str, columns: int) -> None:
    """Drops weak rows within the network: as many are left as each page has strong ones."""
    strong = graph.add("Greater", scores, graph.constant(_WEAK))
    places = graph.add("NonZero", graph.reshaped(strong, -1))
    kept = graph.reshaped(places, -1)
    graph.add("Gather", graph.reshaped(table, -1, columns), kept, axis=0, output="fetch_name_0")
    _count(graph, graph.add("Cast", strong, to=TensorProto.FLOAT))


def _count(graph: _Graph, ones: str) -> None:
    total = graph.add("ReduceSum", ones, graph.constant([1, 2], np.int64), keepdims=0)
    graph.add("Cast", total, output="fetch_name_1", to=TensorProto.INT32)


def _masks(graph: _Graph, relative: str, rows: tuple[Row, ...]) -> None:
    """A mask of the page for each row, at a quarter of the input's resolution."""
    flat = graph.reshaped(relative, -1, len(rows), 4, 1)
    x1, y1, x2, y2 = (graph.add("Gather", flat, graph.constant([i], np.int64), axis=2) for i in range(4))
    places = (np.arange(_MASK_SIDE) + 0.5) / _MASK_SIDE
    u = _within(graph, graph.constant(places.reshape(1, 1, 1, -1)), x1, x2)
    v = _within(graph, graph.constant(places.reshape(1, 1, -1, 1)), y1, y2)
    slant, breadth, notch, ellipse = (
        graph.constant(np.reshape([getattr(row.shape, name) for row in rows], (1, -1, 1, 1)))
        for name in ("slant", "breadth", "notch", "ellipse")
    )
    half = graph.constant(0.5)
    across = graph.add("Abs", graph.add("Add", v, graph.add("Mul", u, slant)))
    band = graph.add("LessOrEqual", across, graph.add("Mul", breadth, half))
    in_box = graph.add("And", *(graph.add("LessOrEqual", graph.add("Abs", c), half) for c in (u, v)))
    corner = graph.add("And", *(graph.add("Greater", c, notch) for c in (u, v)))
    distance = graph.add("Add", graph.add("Mul", u, u), graph.add("Mul", v, v))
    disc = graph.add("LessOrEqual", graph.add("Mul", distance, ellipse), graph.constant(1))
    inside = graph.add(
        "And", graph.add("And", band, in_box), graph.add("And", disc, graph.add("Not", corner))
    )
    flat_mask = graph.reshaped(inside, -1, _MASK_SIDE, _MASK_SIDE)
    graph.add("Cast", flat_mask, output="fetch_name_2", to=TensorProto.INT32)


def _within(graph: _Graph, place: str, low: str, high: str) -> str:
    """Where a place lies between two sides, -1/2 at the one and 1/2 at the other."""
    part = graph.add("Div", graph.add("Sub", place, low), graph.add("Sub", high, low))
    return graph.add("Sub", part, graph.constant(0.5))


def _model(graph: _Graph, family: ModelFamily, outputs: list[Any]) -> Any:
    inputs = [("image", [None, 3, family.side, family.side]), ("scale_factor", [None, 2])]
    if not family.is_picodet:
        inputs.insert(0, ("im_shape", [None, 2]))
    model = helper.make_model(
        helper.make_graph(
            graph.nodes,
            family.model_name,
            [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in inputs],
            [helper.make_tensor_value_info(*output) for output in outputs],
            graph.constants,
        ),
        opset_imports=[helper.make_opsetid("", 17)],
        ir_version=8,
    )
    onnx.checker.check_model(model, full_check=True)
    return model
