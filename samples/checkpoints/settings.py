"""The JSON files that stand beside a checkpoint's weights, as the published ones have them."""

from typing import Any

import msgspec

from samples.checkpoints.safetensors import Dtype
from samples.checkpoints.token_ids import PUBLISHED_IDS, TOY_IDS
from samples.checkpoints.weights import Layout
from vlm_stage.engines.paddleocr_vl.model_config import ModelConfig, VisionConfig

TORCH_NAMES = {"bf16": "bfloat16", "f16": "float16", "f32": "float32"}

PREPROCESSOR = {
    "do_convert_rgb": True,
    "do_normalize": True,
    "do_rescale": True,
    "do_resize": True,
    "image_mean": [0.5, 0.5, 0.5],
    "image_processor_type": "PaddleOCRVLImageProcessor",
    "image_std": [0.5, 0.5, 0.5],
    "max_pixels": 1_003_520,
    "merge_size": 2,
    "min_pixels": 112_896,
    "patch_size": 14,
    "processor_class": "PaddleOCRVLProcessor",
    "resample": 3,
    "rescale_factor": 1 / 255,
    "temporal_patch_size": 1,
}


def config_json(config: ModelConfig, layout: Layout, dtype: Dtype) -> dict[str, Any]:
    """`config.json`: text fields at the top level as published, or nested as transformers 5.24 saves them."""
    text = msgspec.structs.asdict(config.text)
    rope = {
        "rope_type": "default",
        "mrope_section": list(text.pop("mrope_section")),
        "rope_theta": text.pop("rope_theta"),
    }
    text |= {"hidden_act": "silu"}
    ids = PUBLISHED_IDS if config.image_token_id == PUBLISHED_IDS.image else TOY_IDS
    shared = {
        "architectures": ["PaddleOCRVLForConditionalGeneration"],
        "model_type": "paddleocr_vl",
        "image_token_id": config.image_token_id,
        "video_token_id": ids.video,
        "vision_start_token_id": ids.image_start,
        "vision_end_token_id": ids.image_end,
        "tie_word_embeddings": config.tie_word_embeddings,
        "vision_config": _vision_json(config.vision, layout),
    }
    if layout == "transformers":
        text |= {
            "model_type": "paddleocr_vl_text",
            "rope_parameters": rope,
            "eos_token_id": config.eos_token_id,
        }
        return shared | {"text_config": text, "dtype": TORCH_NAMES[dtype]}
    theta = rope.pop("rope_theta")
    old = {"rope_scaling": rope | {"type": "default"}, "rope_theta": theta, "torch_dtype": TORCH_NAMES[dtype]}
    return shared | text | old | {"rope_is_neox_style": True, "use_3d_rope": True}


def _vision_json(vision: VisionConfig, layout: Layout) -> dict[str, Any]:
    fields = msgspec.structs.asdict(vision)
    theta = fields.pop("rope_theta")
    fields |= {"hidden_act": "gelu_pytorch_tanh", "num_channels": 3}
    if layout == "transformers":
        rope = {"rope_type": "axial", "rope_theta": theta}
        return fields | {"model_type": "paddleocr_vl_vision", "rope_parameters": rope}
    return fields | {"model_type": "paddleocr_vl", "temporal_patch_size": 2, "tokens_per_second": 2}


def generation_json(config: ModelConfig) -> dict[str, Any]:
    """`generation_config.json`, which alone names the token that ends a text in the published layout."""
    return {
        "_from_model_config": True,
        "eos_token_id": config.eos_token_id,
        "pad_token_id": 0,
        "use_cache": False,
    }
