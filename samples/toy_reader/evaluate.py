"""How well a checkpoint reads held-out lines, with transformers' own generate: greedy, one picture at a time.

python -m samples.toy_reader.evaluate CHECKPOINT_FOLDER
"""

import argparse
from collections import Counter
from pathlib import Path

import torch
from PIL import Image
from transformers import AutoTokenizer, PaddleOCRVLForConditionalGeneration, PaddleOCRVLProcessor
from transformers.models.paddleocr_vl.image_processing_pil_paddleocr_vl import PaddleOCRVLImageProcessorPil

from samples.toy_reader import vocabulary
from samples.toy_reader.held_out import face_name, held_out_lines, keep_lines
from samples.toy_reader.lines import Line

MOST_TOKENS = 40
KEPT = 40


class Reference:
    """A checkpoint as transformers runs it, in float32."""

    def __init__(self, folder: Path) -> None:
        tokenizer = AutoTokenizer.from_pretrained(folder)
        images = PaddleOCRVLImageProcessorPil.from_pretrained(folder)
        template = (folder / "chat_template.jinja").read_text(encoding="utf-8")
        self._processor = PaddleOCRVLProcessor(images, tokenizer, chat_template=template)
        self._model = PaddleOCRVLForConditionalGeneration.from_pretrained(folder, dtype=torch.float32).eval()

    def read(self, picture: Image.Image) -> tuple[str, bool]:
        """The text, and whether the model ended it itself."""
        content = [{"type": "image", "image": picture}, {"type": "text", "text": "OCR:"}]
        inputs = self._processor.apply_chat_template(
            [{"role": "user", "content": content}],
            add_generation_prompt=True,
            tokenize=True,
            return_dict=True,
            return_tensors="pt",
        )
        with torch.inference_mode():
            ids = self._model.generate(**inputs, max_new_tokens=MOST_TOKENS, do_sample=False)
        written = ids[0, inputs["input_ids"].shape[1] :]
        ended = bool(written[-1] == vocabulary.EOS)
        return self._processor.decode(written, skip_special_tokens=True), ended


def main() -> None:
    """Print the share of whole texts that are right, by typeface, and what went wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("--lines", type=int, default=500)
    parser.add_argument("--keep", type=Path, help=f"folder for the first {KEPT} lines and their readings")
    options = parser.parse_args()
    reference = Reference(options.checkpoint)
    readings = []
    for line in held_out_lines(options.lines):
        read, ended = reference.read(Image.fromarray(line.pixels).convert("RGB"))
        readings.append((line, read if ended else f"{read} …"))
    report(readings)
    if options.keep:
        keep_lines(options.keep, readings[:KEPT])


def report(readings: list[tuple[Line, str]]) -> None:
    """Print each wrong reading (one without an end ends in an ellipsis), and the sums."""
    for line, read in readings:
        if read != line.text:
            print(f"{face_name(line)}: {line.text!r} read as {read!r}")
    lines = Counter(face_name(line) for line, _ in readings)
    right = Counter(face_name(line) for line, read in readings if read == line.text)
    for face, count in sorted(lines.items()):
        print(f"{face}: {right[face]} of {count}")
    print(f"all: {right.total()} of {lines.total()}, {right.total() / lines.total():.1%}")


if __name__ == "__main__":
    main()
