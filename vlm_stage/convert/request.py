"""What is to be converted, and how."""

from dataclasses import dataclass
from pathlib import Path

from arcscribe.errors import InvalidOption
from vlm_stage.engines.paddleocr_vl.manifest import NetworkPrecision, Precisions


@dataclass(frozen=True, slots=True)
class Request:
    """A checkpoint, where the result is to go, and what is asked of it.

    `vision` is the vision encoder's precision, where it is to be another than the rest's. `name` is the
    published model that the checkpoint is said to be, or empty. `pictures` are files and folders; where there
    are any, they calibrate the vision encoder. `force` replaces what is at `out`.
    """

    checkpoint: Path
    out: Path
    precision: NetworkPrecision
    vision: NetworkPrecision | None = None
    name: str = ""
    pictures: tuple[Path, ...] = ()
    force: bool = False

    def precisions(self) -> Precisions:
        """The precision of each network.

        Raises:
            InvalidOption: the options do not go together.
        """
        int4 = self.precision is NetworkPrecision.INT4
        embeddings = NetworkPrecision.INT8 if int4 else self.precision
        if not self.pictures:
            return Precisions(self.vision or embeddings, embeddings, self.precision)
        if self.vision or embeddings is not NetworkPrecision.INT8:
            raise InvalidOption(
                "pictures calibrate INT8: they go with --precision int8 or int4, and with no other for the"
                " vision encoder",
                field="calibrate",
            )
        return Precisions(NetworkPrecision.INT8_CALIBRATED, embeddings, self.precision)
