"""What part a region's kind plays in the order of a page."""

from enum import Enum, auto

from arcscribe.types import RegionKind


class Role(Enum):
    """How a region is put into order."""

    HEADER = auto()
    FOOTER = auto()
    APART = auto()
    """It stands beside the flow: notes in the margin, seals, page numbers."""
    TITLE = auto()
    VISION = auto()
    CAPTION = auto()
    TEXT = auto()


MARGINS = frozenset({Role.HEADER, Role.FOOTER, Role.APART})

_ROLES = {
    RegionKind.HEADER: Role.HEADER,
    RegionKind.HEADER_IMAGE: Role.HEADER,
    RegionKind.FOOTER: Role.FOOTER,
    RegionKind.FOOTER_IMAGE: Role.FOOTER,
    RegionKind.FOOTNOTE: Role.FOOTER,
    RegionKind.ASIDE_TEXT: Role.APART,
    RegionKind.SEAL: Role.APART,
    RegionKind.NUMBER: Role.APART,
    RegionKind.DOC_TITLE: Role.TITLE,
    RegionKind.PARAGRAPH_TITLE: Role.TITLE,
    RegionKind.IMAGE: Role.VISION,
    RegionKind.TABLE: Role.VISION,
    RegionKind.CHART: Role.VISION,
    RegionKind.FIGURE_TITLE: Role.CAPTION,
    RegionKind.TABLE_TITLE: Role.CAPTION,
    RegionKind.CHART_TITLE: Role.CAPTION,
}


def role_of(kind: RegionKind) -> Role:
    """The role of a kind; what has none of its own is text."""
    return _ROLES.get(kind, Role.TEXT)
