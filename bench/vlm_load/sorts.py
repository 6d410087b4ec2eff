"""All sorts of crops, in the shares that they have of the load."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from io import BytesIO

from PIL import Image

from arcscribe.convert.recognition import crop_to_message
from arcscribe.types import Crop, RegionKind
from arcscribe.v1 import page_pb2, vlm_pb2
from bench.vlm_load.source import PICTURES, Source

TEXT, PICTURE, TOO_LARGE, INVALID = "text", "picture", "TOO_LARGE", "INVALID_OPTION"

LOOP_TOKENS = 600
"""More than it takes to see that a text is a loop (`LoopDetector`)."""
PROMPTS = ("Spotting:", "Table Recognition:", "Which language is this?", "这是什么？")
TWO_IMAGES = "Compare it with <|IMAGE_PLACEHOLDER|>"


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """A crop, what is sent of it, and what it is to be answered with: a text, the empty text of a picture, or
    a failure of that reason."""

    crop: Crop
    request: vlm_pb2.RecognizeRequest
    expected: str

    @property
    def is_greedy(self) -> bool:
        """Whether its text is made of the likeliest tokens."""
        return not (self.crop.options.temperature or self.crop.options.repetition_penalty)


def any_crop(source: Source) -> Asked:
    """The next crop, of any sort."""
    sort = source.random.choices(list(SHARES), list(SHARES.values()))[0]
    return sort(source, source.crop())


def largest_crops(source: Source) -> list[Asked]:
    """Crops as large as they come, of each task: what needs the most memory, so that no later crop needs
    more."""
    kinds = (RegionKind.TEXT, RegionKind.TABLE, RegionKind.FORMULA, RegionKind.CHART, RegionKind.SEAL)
    return [_asked(source.largest(kind)) for kind in kinds] + [
        _with_options(source.largest(kind), prompt=prompt) for kind in kinds for prompt in PROMPTS
    ]


def plain(_source: Source, crop: Crop) -> Asked:
    return _asked(crop)


def of_few_pixels(source: Source, crop: Crop) -> Asked:
    return _with_options(crop, min_pixels=784, max_pixels=source.random.randint(20_000, 200_000))


def prompted(source: Source, crop: Crop) -> Asked:
    return _with_options(crop, prompt=source.random.choice(PROMPTS))


def drawn(source: Source, crop: Crop) -> Asked:
    options = replace(
        crop.options,
        temperature=source.random.uniform(0.1, 2),
        top_p=source.random.uniform(0.1, 1),
        repetition_penalty=source.random.choice((0.0, 1.1, 2.0)),
        seed=source.random.getrandbits(32),
    )
    return _asked(replace(crop, options=options))


def looping(_source: Source, crop: Crop) -> Asked:
    """Tokens become likelier by being written; one in seven such texts is a loop in the end."""
    options = replace(crop.options, repetition_penalty=0.3, max_new_tokens=LOOP_TOKENS)
    return _asked(replace(crop, options=options))


def drafted_rightly(source: Source, crop: Crop) -> Asked:
    """A crop that was read before, with what it was read as."""
    read = source.read_before()
    return _asked(replace(read.crop, id=crop.id, draft=read.text) if read else crop)


def drafted_wrongly(source: Source, crop: Crop) -> Asked:
    """With what another crop was read as."""
    read = source.read_before()
    return _asked(replace(crop, draft=read.text) if read else crop)


def drafted_with_rubbish(source: Source, crop: Crop) -> Asked:
    characters = (chr(source.random.randint(0x20, 0x9FFF)) for _ in range(200))
    return _asked(replace(crop, draft="".join(characters)))


def compressed(source: Source, crop: Crop) -> Asked:
    return _asked(crop, file_format=source.random.choice(("PNG", "JPEG")))


def damaged(_source: Source, crop: Crop) -> Asked:
    asked = _asked(crop, INVALID, file_format="PNG")
    data = asked.request.image.data
    asked.request.image.data = data[: len(data) // 2]
    return asked


def of_two_images(_source: Source, crop: Crop) -> Asked:
    return replace(_with_options(crop, prompt=TWO_IMAGES), expected=INVALID)


def too_long(source: Source, crop: Crop) -> Asked:
    return _asked(replace(crop, pixels=source.pixels(4, 1000)), TOO_LARGE)


def picture(source: Source, crop: Crop) -> Asked:
    return _asked(replace(crop, kind=source.random.choice(PICTURES)), PICTURE)


SHARES: Mapping[Callable[[Source, Crop], Asked], int] = {
    plain: 30,
    of_few_pixels: 20,
    prompted: 5,
    drawn: 8,
    looping: 2,
    drafted_rightly: 10,
    drafted_wrongly: 7,
    drafted_with_rubbish: 5,
    compressed: 5,
    damaged: 2,
    of_two_images: 1,
    too_long: 2,
    picture: 3,
}
"""Of each sort in a hundred."""


def _asked(crop: Crop, expected: str = TEXT, *, file_format: str = "") -> Asked:
    request = crop_to_message(crop)
    if file_format:
        file = BytesIO()
        Image.fromarray(crop.pixels).save(file, file_format)
        request.image.encoding = page_pb2.ImageEncoding.Value(f"IMAGE_ENCODING_{file_format}")
        request.image.data = file.getvalue()
    return Asked(crop, request, expected)


def _with_options(crop: Crop, *, min_pixels: int = 0, max_pixels: int = 0, prompt: str = "") -> Asked:
    options = replace(crop.options, min_pixels=min_pixels, max_pixels=max_pixels, prompt=prompt)
    return _asked(replace(crop, options=options))
