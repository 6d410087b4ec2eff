"""The sizes of a PaddleOCR-VL, as its checkpoint's `config.json` tells them."""

import msgspec


class VisionConfig(msgspec.Struct, frozen=True):
    """The vision encoder; defaults are those of transformers 5.24 (`PaddleOCRVisionConfig`)."""

    hidden_size: int = 1152
    intermediate_size: int = 4304
    num_hidden_layers: int = 27
    num_attention_heads: int = 16
    image_size: int = 384
    patch_size: int = 14
    layer_norm_eps: float = 1e-6
    spatial_merge_size: int = 2
    rope_theta: float = 10_000.0

    @property
    def head_dim(self) -> int:
        return self.hidden_size // self.num_attention_heads

    @property
    def positions_per_side(self) -> int:
        """The learned position table is a square of this side."""
        return self.image_size // self.patch_size

    @property
    def patch_values(self) -> int:
        """Numbers in one patch: three channels of a square."""
        return 3 * self.patch_size**2


class TextConfig(msgspec.Struct, frozen=True):
    """The decoder; defaults are those of transformers 5.24 (`PaddleOCRTextConfig`)."""

    vocab_size: int = 103_424
    hidden_size: int = 1024
    intermediate_size: int = 3072
    num_hidden_layers: int = 18
    num_attention_heads: int = 16
    num_key_value_heads: int = 2
    head_dim: int = 128
    rms_norm_eps: float = 1e-5
    rope_theta: float = 500_000.0
    mrope_section: tuple[int, int, int] = (16, 24, 24)
    max_position_embeddings: int = 131_072
    use_bias: bool = False


class ModelConfig(msgspec.Struct, frozen=True):
    """A PaddleOCR-VL. `tie_word_embeddings`: the head has no weights of its own but the embeddings'."""

    vision: VisionConfig = VisionConfig()
    text: TextConfig = TextConfig()
    image_token_id: int = 100_295
    eos_token_id: int = 2
    tie_word_embeddings: bool = True
