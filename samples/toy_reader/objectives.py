"""What the toy reader is trained on: the text, and what the renderer knows of where each character stands.

Next-token prediction alone learns to read very slowly at this size. So small heads, dropped afterwards, ask
the vision encoder which character stands over each column of patches and how many came before, ask the same
of each merged patch after the projector, and ask the decoder how far it has read; and some heads of attention
in its second layer are told where to look.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional
from transformers import PaddleOCRVLForConditionalGeneration as Reader

from samples.toy_reader import forward
from samples.toy_reader.batches import CLASSES, IGNORED, SLOTS, Batch
from samples.toy_reader.wording import LONGEST

COUNTS = LONGEST + 2
POINTING_LAYER = 1
POINTING_HEADS = (0, 4, 1, 5)
"""The query head that looks at the patch where the next character is the first, second, third or fourth."""
POINTING_WEIGHT, DECODER_COUNT_WEIGHT = 0.3, 0.2


def dense_heads(vision_width: int, text_width: int) -> nn.ModuleDict:
    """The heads that read characters and counts from the model's inner states; not part of the checkpoint."""
    return nn.ModuleDict(
        {
            "column_class": nn.Linear(vision_width, CLASSES),
            "column_count": nn.Linear(vision_width, COUNTS),
            "slot_class": nn.Linear(text_width, SLOTS * CLASSES),
            "token_count": nn.Linear(text_width, COUNTS),
            "read_count": nn.Linear(text_width, COUNTS),
        }
    )


@dataclass(frozen=True, slots=True)
class Losses:
    """The total to minimise, and figures to look at."""

    total: Tensor
    figures: dict[str, float]


def seeing_loss(model: Reader, heads: nn.ModuleDict, batch: Batch) -> tuple[Tensor, Losses]:
    """The image tokens [B, W, H], and the dense losses of the vision encoder and the projector."""
    encoded = forward.encode_patches(model, torch.from_numpy(batch.patches), batch.width)
    image = forward.project(model, encoded)
    both_rows = [torch.from_numpy(x).repeat(1, 2) for x in (batch.column_class, batch.column_count)]
    slots = torch.from_numpy(batch.slot_class)
    counts = torch.from_numpy(batch.token_count)
    slot_scores = heads["slot_class"](image).unflatten(-1, (SLOTS, CLASSES))
    count_scores = heads["token_count"](image)
    total = (
        _cross_entropy(heads["column_class"](encoded), both_rows[0])
        + _cross_entropy(heads["column_count"](encoded), both_rows[1])
        + 2 * _cross_entropy(slot_scores, slots)
        + _cross_entropy(count_scores, counts)
    )
    figures = {
        "slots": _share_right(slot_scores, slots).item(),
        "counts": _share_right(count_scores, counts).item(),
        "seeing": total.item(),
    }
    return image, Losses(total, figures)


def reading_loss(model: Reader, heads: nn.ModuleDict, image: Tensor, batch: Batch) -> Losses:
    """The text's loss, and those of what teaches the decoder to point."""
    logits, outputs, attentions = forward.read(model, image, torch.from_numpy(batch.texts))
    labels = torch.from_numpy(batch.labels)
    text = _cross_entropy(logits, labels)
    steps = torch.arange(labels.shape[1]).expand_as(labels)
    steps = torch.where(labels == IGNORED, IGNORED, steps)
    counted = _cross_entropy(heads["read_count"](outputs[0][:, -labels.shape[1] :]), steps)
    pointing = _pointing_loss(attentions[POINTING_LAYER], torch.from_numpy(batch.place))
    right = (logits.argmax(-1) == labels) | (labels == IGNORED)
    figures = {
        "text": text.item(),
        "read": counted.item(),
        "pointing": pointing.item(),
        "exact": right.all(dim=1).float().mean().item(),
    }
    return Losses(text + DECODER_COUNT_WEIGHT * counted + POINTING_WEIGHT * pointing, figures)


def _pointing_loss(attention: Tensor, place: Tensor) -> Tensor:
    rows, steps = torch.nonzero(place[:, :, 0] != IGNORED, as_tuple=True)
    token, slot = place[rows, steps].unbind(-1)
    heads = torch.tensor(POINTING_HEADS)[slot]
    weights = attention[rows, heads, steps, forward.image_start() + token]
    return -torch.log(weights + 1e-6).mean()


def _cross_entropy(scores: Tensor, classes: Tensor) -> Tensor:
    return functional.cross_entropy(scores.flatten(0, -2), classes.flatten(), ignore_index=IGNORED)


def _share_right(scores: Tensor, classes: Tensor) -> Tensor:
    return (scores.argmax(-1) == classes).float().mean()
