"""What a conversion reports while it works: JSON lines from the VLM stage to `arcscribe models convert`."""

import msgspec


class ConvertStep(msgspec.Struct, frozen=True, tag="step"):
    """What is done now, and how much of that is done, from 0 to 1."""

    stage: str
    fraction: float


class Converted(msgspec.Struct, frozen=True, tag="done"):
    """The end: the folder of the converted model, its size, and how many parameters it has."""

    folder: str
    bytes: int
    parameters: int


ConvertEvent = ConvertStep | Converted
