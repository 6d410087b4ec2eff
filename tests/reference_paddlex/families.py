"""The kinds of layout models that PP-StructureV3 and PaddleOCR-VL use, as their `inference.yml` tells them.

Labels, sizes and normalisation are those of paddlex 3.7.2
(`modules/base/utils/pdparams2safetensors/inference_meta.py`, and the exported models' own files).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_DOC_LAYOUT = (
    "paragraph_title",
    "image",
    "text",
    "number",
    "abstract",
    "content",
    "figure_title",
    "formula",
    "table",
    "table_title",
    "reference",
    "doc_title",
    "footnote",
    "header",
    "algorithm",
    "footer",
    "seal",
    "chart_title",
    "chart",
    "formula_number",
    "header_image",
    "footer_image",
    "aside_text",
)
_PLUS = (
    *_DOC_LAYOUT[:9],
    "reference",
    "doc_title",
    "footnote",
    "header",
    "algorithm",
    "footer",
    "seal",
    "chart",
    "formula_number",
    "aside_text",
    "reference_content",
)
_ORDERED = (
    "abstract",
    "algorithm",
    "aside_text",
    "chart",
    "content",
    "display_formula",
    "doc_title",
    "figure_title",
    "footer",
    "footer_image",
    "footnote",
    "formula_number",
    "header",
    "header_image",
    "image",
    "inline_formula",
    "number",
    "paragraph_title",
    "reference",
    "reference_content",
    "seal",
    "table",
    "text",
    "vertical_text",
    "vision_footnote",
)
_PLAIN: Mapping[str, Any] = {"mean": [0.0, 0.0, 0.0], "std": [1.0, 1.0, 1.0], "norm_type": "none"}
_IMAGENET: Mapping[str, Any] = {
    "mean": [0.485, 0.456, 0.406],
    "std": [0.229, 0.224, 0.225],
    "norm_type": "mean_std",
    "is_scale": True,
}


@dataclass(frozen=True, slots=True)
class ModelFamily:
    """What one kind of model takes and gives."""

    folder: str
    model_name: str
    arch: str
    side: int
    """Height and width of its input, in pixels."""
    labels: tuple[str, ...]
    normalisation: Mapping[str, Any]
    columns: int
    """6: class, score and box; 7: and the order; 8: and the votes for it."""
    masks: bool = False

    @property
    def is_picodet(self) -> bool:
        """Whether it takes no `im_shape`, and drops weak boxes itself."""
        return self.arch == "GFL"

    def inference_yml(self) -> dict[str, Any]:
        """The content of `inference.yml`, in the form that PaddleDetection's export gives it."""
        return {
            "mode": "paddle",
            "draw_threshold": 0.5,
            "metric": "COCO",
            "use_dynamic_shape": False,
            "Global": {"model_name": self.model_name},
            "arch": self.arch,
            "min_subgraph_size": 3,
            "Preprocess": [
                {"interp": 2, "keep_ratio": False, "target_size": [self.side, self.side], "type": "Resize"},
                {**self.normalisation, "type": "NormalizeImage"},
                {"type": "Permute"},
            ],
            "label_list": list(self.labels),
        }


FAMILIES = (
    ModelFamily("s", "PP-DocLayout-S", "GFL", 480, _DOC_LAYOUT, _IMAGENET, 6),
    ModelFamily("m", "PP-DocLayout-M", "GFL", 640, _DOC_LAYOUT, _IMAGENET, 6),
    ModelFamily("l", "PP-DocLayout-L", "DETR", 640, _DOC_LAYOUT, _PLAIN, 6),
    ModelFamily("plus_l", "PP-DocLayout_plus-L", "DETR", 800, _PLUS, _PLAIN, 6),
    ModelFamily("block", "PP-DocBlockLayout", "DETR", 640, ("Region",), _PLAIN, 6),
    ModelFamily("v2", "PP-DocLayoutV2", "DETR", 800, _ORDERED, _PLAIN, 8),
    ModelFamily("v3", "PP-DocLayoutV3", "DETR", 800, _ORDERED, _PLAIN, 7, masks=True),
)
