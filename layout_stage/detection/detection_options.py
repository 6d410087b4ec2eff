"""What a configuration may say about a layout model's post-processing, over the model's own settings."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, TypeVar

import msgspec

from arcscribe.errors import InvalidConfig
from layout_stage.detection.detection_settings import (
    DEFAULT_THRESHOLD,
    DetectionSettings,
    MergeMode,
    PolygonShape,
    Unclip,
)

Threshold = Annotated[float, msgspec.Meta(ge=0, le=1)]
_MOST_UNCLIP = 4.0

ValueT = TypeVar("ValueT")


class DetectionOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Each is the model's own where it is absent; tables have a value for each label that they change."""

    threshold: Threshold | None = None
    """For all labels that `thresholds` does not name."""
    thresholds: dict[str, Threshold] = {}
    nms: bool | None = None
    merge: MergeMode | None = None
    """For all labels alike, in place of the model's table."""
    merges: dict[str, MergeMode] = {}
    unclip: list[float] = []
    """By what widths and heights are multiplied."""
    unclips: dict[str, list[float]] = {}
    shape: PolygonShape | None = None


def with_options(
    settings: DetectionSettings, options: DetectionOptions, labels: Sequence[str]
) -> DetectionSettings:
    """A model's settings as the options change them.

    Args:
        settings: the model's own.
        options: the configuration's.
        labels: those that the model has.

    Raises:
        InvalidConfig: the options name a label that the model has not, or an unclip that is no ratio.
    """
    for name in (*options.thresholds, *options.merges, *options.unclips):
        if name not in labels:
            raise InvalidConfig(f"the layout model has no label {name!r}; it has {', '.join(labels)}")
    threshold = settings.threshold if options.threshold is None else options.threshold
    merge = settings.merge if options.merge is None else options.merge
    return replace(
        settings,
        threshold=_by_label(threshold, options.thresholds, labels, DEFAULT_THRESHOLD),
        nms=settings.nms if options.nms is None else options.nms,
        merge=_by_label(merge, options.merges, labels, MergeMode.UNION),
        unclip=_unclip(settings, options, labels),
        shape=settings.shape if options.shape is None else options.shape,
    )


def _by_label(
    value: ValueT | Mapping[str, ValueT],
    changes: Mapping[str, ValueT],
    labels: Sequence[str],
    default: ValueT,
) -> ValueT | Mapping[str, ValueT]:
    if not changes:
        return value
    return {
        label: value.get(label, default) if isinstance(value, Mapping) else value for label in labels
    } | dict(changes)


def _unclip(
    settings: DetectionSettings, options: DetectionOptions, labels: Sequence[str]
) -> Unclip | Mapping[str, Unclip]:
    unclip = _ratio(options.unclip) if options.unclip else settings.unclip
    changes = {label: _ratio(ratio) for label, ratio in options.unclips.items()}
    return _by_label(unclip, changes, labels, (1.0, 1.0))


def _ratio(numbers: Sequence[float]) -> Unclip:
    """Raises InvalidConfig unless there are two numbers in bounds."""
    if len(numbers) != 2 or not all(0 < number <= _MOST_UNCLIP for number in numbers):
        raise InvalidConfig(f"unclip {list(numbers)} is not two numbers over 0 and up to {_MOST_UNCLIP}")
    return numbers[0], numbers[1]
