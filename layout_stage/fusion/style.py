"""What a line is to the network and to the eye."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Style:
    """What a line is to the network and to the eye."""

    label: str
    bold: bool
    size: float
    """From the top of its ink to the bottom, in pixels; it depends on which letters the line has."""
    thickness: float
    """Of its box, in pixels; superscripts make it more."""

    def times(self, ink: float, box: float) -> float:
        """How many times larger its type is than one with those measures; the one that says less counts."""
        ratios = (self.size / max(1.0, ink), self.thickness / max(1.0, box))
        if min(ratios) > 1:
            return min(ratios)
        return max(ratios) if max(ratios) < 1 else 1.0
