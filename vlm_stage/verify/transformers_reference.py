"""The reference implementation, transformers' PaddleOCR-VL: the only place where it and torch are imported.

Both are an extra, `pip install '.[verify]'`, that serving never needs; they load when this is used.
"""

from importlib import import_module, util
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from arcscribe.errors import ModelMissing
from vlm_stage.engines.paddleocr_vl.inputs.crop_views import view_for
from vlm_stage.verify.pictures import Picture
from vlm_stage.verify.reading import LEAST_PIXELS, MOST_PIXELS, Reading

INSTALL = "pip install '.[verify]'"
_MODELS = "transformers.models.paddleocr_vl"


def is_installed() -> bool:
    """Whether torch and transformers are here."""
    return all(util.find_spec(name) for name in ("torch", "transformers"))


class TransformersReference:
    """A checkpoint in float32 on the CPU, with transformers' own processor for pictures and prompts."""

    def __init__(self, checkpoint: Path) -> None:
        """Loads the checkpoint, which takes four bytes of memory for each parameter.

        Raises:
            ModelMissing: transformers cannot load it, or is not installed.
        """
        if not is_installed():
            raise ModelMissing(
                f"comparing with the checkpoint needs torch and transformers; run in the clone: {INSTALL}",
                command=INSTALL,
            )
        self._torch = import_module("torch")
        transformers = import_module("transformers")
        transformers.logging.set_verbosity_error()
        transformers.logging.disable_progress_bar()
        try:
            self._processor = _processor(checkpoint)
            self._model = transformers.PaddleOCRVLForConditionalGeneration.from_pretrained(
                checkpoint, dtype=self._torch.float32, local_files_only=True
            ).eval()
        except (OSError, ValueError, RuntimeError, ImportError, KeyError) as error:
            raise ModelMissing(f"transformers cannot load {checkpoint}: {error}") from error
        self.description = f"transformers {transformers.__version__}, {checkpoint}"

    def read(self, picture: Picture, steps: int, *, end: bool = True) -> Reading:
        """Reads a picture greedily until its text ends, but no more than so many tokens, at least 1.

        Without `end` the text goes on behind its end.
        """
        inputs = self._inputs(picture)
        stop = {} if end else {"eos_token_id": None}
        with self._torch.inference_mode():
            seen = self._model.get_image_features(
                inputs["pixel_values"], inputs["image_grid_thw"], return_dict=True
            )
            written = self._model.generate(
                **inputs,
                do_sample=False,
                repetition_penalty=1.0,
                max_new_tokens=steps,
                output_logits=True,
                return_dict_in_generate=True,
                pad_token_id=0,
                use_cache=True,  # the published checkpoints' own setting computes all anew at each step
                **stop,
            )
            logits = self._torch.cat(written.logits).numpy()
        tokens = written.sequences[0, inputs["input_ids"].shape[1] :]
        return Reading(seen.pooler_output[0].numpy(), tuple(tokens.tolist()), np.asarray(logits, np.float32))

    def _inputs(self, picture: Picture) -> Any:
        image = Image.fromarray(view_for(picture.pixels, picture.prompt))
        content = [{"type": "image", "image": image}, {"type": "text", "text": picture.prompt}]
        return self._processor.apply_chat_template(
            [{"role": "user", "content": content}],
            tokenize=True,
            add_generation_prompt=True,
            return_dict=True,
            return_tensors="pt",
        )


def _processor(checkpoint: Path) -> Any:
    """With Pillow's arithmetic, which the model was trained with, also where torchvision is installed."""
    images = import_module(f"{_MODELS}.image_processing_pil_paddleocr_vl").PaddleOCRVLImageProcessorPil
    processors = import_module(f"{_MODELS}.processing_paddleocr_vl").PaddleOCRVLProcessor
    size = {"shortest_edge": LEAST_PIXELS, "longest_edge": MOST_PIXELS}
    tokenizer = import_module("transformers").AutoTokenizer.from_pretrained(checkpoint, local_files_only=True)
    return processors(
        image_processor=images.from_pretrained(checkpoint, local_files_only=True, size=size),
        tokenizer=tokenizer,
        chat_template=tokenizer.chat_template,
    )
