"""Messages into types and back: how crops are to be read."""

from arcscribe.errors import InvalidOption
from arcscribe.types import RecognizeOptions
from arcscribe.v1 import vlm_pb2

MAX_NEW_TOKENS = 32_768
"""A page of the smallest print as one table takes half as many."""
MAX_TEMPERATURE = 2.0
MIN_REPETITION_PENALTY, MAX_REPETITION_PENALTY = 0.1, 10.0
"""Logits are divided by it or multiplied: near 0 they would grow beyond all numbers."""
MAX_READ_PIXELS = 4_194_304
"""Four times what PaddleOCR-VL's own pipeline reads at most (paddlex 3.7.2)."""
MAX_PROMPT = 1_000
"""Characters; prompts of the models' own have two words."""


def options_to_message(options: RecognizeOptions) -> vlm_pb2.RecognizeOptions:
    """The message of options, unchecked: the receiver does that."""
    return vlm_pb2.RecognizeOptions(
        max_new_tokens=options.max_new_tokens,
        partial_text=options.partial_text,
        temperature=options.temperature,
        top_p=options.top_p,
        repetition_penalty=options.repetition_penalty,
        seed=options.seed,
        min_pixels=options.min_pixels,
        max_pixels=options.max_pixels,
        prompt=options.prompt,
    )


def options_from_message(message: vlm_pb2.RecognizeOptions, field: str) -> RecognizeOptions:
    """How a crop is to be read.

    Args:
        message: the options.
        field: where they are in the request, for errors.

    Raises:
        InvalidOption: a value is out of its bounds.
    """
    _check(message.max_new_tokens, MAX_NEW_TOKENS, f"{field}.max_new_tokens")
    _check(message.temperature, MAX_TEMPERATURE, f"{field}.temperature")
    _check(message.top_p, 1.0, f"{field}.top_p")
    _check_penalty(message.repetition_penalty, f"{field}.repetition_penalty")
    _check(message.max_pixels, MAX_READ_PIXELS, f"{field}.max_pixels")
    _check(message.min_pixels, message.max_pixels or MAX_READ_PIXELS, f"{field}.min_pixels")
    if len(message.prompt) > MAX_PROMPT:
        raise InvalidOption(f"a prompt has at most {MAX_PROMPT} characters", field=f"{field}.prompt")
    return RecognizeOptions(
        max_new_tokens=message.max_new_tokens,
        partial_text=message.partial_text,
        temperature=message.temperature,
        top_p=message.top_p,
        repetition_penalty=message.repetition_penalty,
        seed=message.seed,
        min_pixels=message.min_pixels,
        max_pixels=message.max_pixels,
        prompt=message.prompt,
    )


def _check(value: float, most: float, field: str) -> None:
    if not 0 <= value <= most:  # true of no NaN
        raise InvalidOption(f"{field} is {value}; it must be from 0 to {most}", field=field)


def _check_penalty(value: float, field: str) -> None:
    if value != 0 and not MIN_REPETITION_PENALTY <= value <= MAX_REPETITION_PENALTY:
        bounds = f"from {MIN_REPETITION_PENALTY} to {MAX_REPETITION_PENALTY}"
        raise InvalidOption(f"{field} is {value}; it must be 0, or {bounds}", field=field)
