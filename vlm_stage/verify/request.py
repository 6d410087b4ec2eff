"""What is to be verified."""

from dataclasses import dataclass
from pathlib import Path

from vlm_stage.engines.paddleocr_vl.settings import PaddleOcrVlSettings
from vlm_stage.verify.pictures import Picture


@dataclass(frozen=True, slots=True)
class Request:
    """The model in `folder` as `settings` would run it on `device`, over these pictures and so many tokens of
    each. `checkpoint` is what transformers is to read them with; None leaves the reference open."""

    folder: Path
    device: str
    settings: PaddleOcrVlSettings
    pictures: tuple[Picture, ...]
    steps: int
    checkpoint: Path | None
