"""How large the toy reader is."""

from samples.toy_reader import vocabulary
from vlm_stage.engines.paddleocr_vl.model_config import ModelConfig, TextConfig, VisionConfig

READER = ModelConfig(
    VisionConfig(
        hidden_size=128,
        intermediate_size=384,
        num_hidden_layers=4,
        num_attention_heads=4,
        image_size=112,
    ),
    TextConfig(
        vocab_size=vocabulary.VOCABULARY_SIZE,
        hidden_size=160,
        intermediate_size=448,
        num_hidden_layers=3,
        num_attention_heads=8,
        num_key_value_heads=2,
        head_dim=32,
        mrope_section=(4, 6, 6),
        max_position_embeddings=4096,
    ),
    image_token_id=vocabulary.IMAGE,
)
"""2.1 million parameters; head and embeddings are one table, which the checkpoint stores twice."""
