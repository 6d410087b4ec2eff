"""The commands that bring models here and make them whole, for the lines that say what to do."""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from arcscribe.models.catalog import load_catalog
from arcscribe.models.root import default_root

PRECISIONS = frozenset({"fp32", "fp16", "int8", "int4"})
CALIBRATED = "-calibrated"
"""What follows the precision where pictures calibrated the vision encoder."""
UNKNOWN = "FOLDER_OF_ITS_CHECKPOINT"
"""In place of a checkpoint that only its owner knows."""


def pull_command(model: str, *, pinned: bool) -> str:
    """The command that brings a model, or a group of models, into the store."""
    return f"arcscribe models pull {model}" + ("" if pinned else " --allow-unpinned")


@dataclass(frozen=True, slots=True)
class Recipe:
    """What a converted model was made of: a checkpoint of the catalog, or an empty one, and how it is stored.

    `vision` is empty where it is what goes with the precision.
    """

    checkpoint: str
    precision: str
    vision: str = ""
    calibrated: bool = False

    @property
    def name(self) -> str:
        """What the store calls it where nobody chooses a name."""
        return f"{self.checkpoint}-{self.precision}{CALIBRATED if self.calibrated else ''}"

    def command(self, *options: str) -> str:
        """The command that makes it, with further options."""
        words = ["arcscribe", "models", "convert", self.checkpoint or UNKNOWN]
        words += ["--precision", self.precision] if self.precision else []
        words += ["--vision", self.vision] if self.vision else []
        words += ["--calibrate", "PICTURES"] if self.calibrated else []
        return shlex.join([*words, *options])


def named_recipe(name: str) -> Recipe:
    """The recipe of a model, as far as its name in the store tells, such as `paddleocr-vl-1.6-int8`."""
    base = name.removesuffix(CALIBRATED)
    checkpoint, _, precision = base.rpartition("-")
    if precision not in PRECISIONS:
        return Recipe("", "")
    return Recipe(
        checkpoint if checkpoint in load_catalog().models else "", precision, calibrated=base != name
    )


def recorded_recipe(published: str, precisions: Mapping[str, str]) -> Recipe:
    """The recipe of a model by what its manifest says: its published name, and each network's precision."""
    checkpoint = published if published in load_catalog().models else ""
    precision, vision = precisions.get("decoder", ""), precisions.get("vision", "")
    if precision not in PRECISIONS:
        return Recipe(checkpoint, "")
    usual = "int8" if precision == "int4" else precision
    other = vision if vision in PRECISIONS - {usual} else ""
    return Recipe(checkpoint, precision, other, calibrated=vision.endswith(CALIBRATED))


def convert_folder_command(folder: Path) -> str:
    """What makes a converted model of a checkpoint's folder."""
    return shlex.join(["arcscribe", "models", "convert", str(folder)])


def convert_command(name: str) -> str:
    """What brings a converted model into the store, checkpoint included; empty if its name tells of none."""
    recipe = named_recipe(name)
    if not recipe.checkpoint:
        return ""
    pull = pull_command(recipe.checkpoint, pinned=load_catalog().model(recipe.checkpoint).pinned)
    return f"{pull} && {recipe.command()}"


def again_command(folder: Path, recipe: Recipe) -> str:
    """What makes a converted model anew in its place, in the user's own store or anywhere."""
    if folder.absolute().parent != default_root().absolute():
        return recipe.command("--out", str(folder), "--force")
    place = () if recipe.checkpoint and folder.name == recipe.name else ("--name", folder.name)
    return recipe.command(*place, "--force")
