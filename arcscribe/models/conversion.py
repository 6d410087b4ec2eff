"""What a conversion reports while it works: JSON lines from the VLM stage to `arcscribe models convert`."""

import msgspec

from arcscribe.models.work import WorkStep


class Converted(msgspec.Struct, frozen=True, tag="done"):
    """The end: the folder of the converted model, its size, and how many parameters it has."""

    folder: str
    bytes: int
    parameters: int


ConvertEvent = WorkStep | Converted
