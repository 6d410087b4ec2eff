"""What verifying a converted model tells: JSON lines from the VLM stage to `arcscribe models verify`."""

import msgspec

from arcscribe.models.work import WorkStep


class VerifyCheck(msgspec.Struct, frozen=True):
    """One thing that was looked at: what was found, the limit in words, and whether it was kept.

    `passed` is None, and `limit` empty, for a figure that nothing hangs on.
    """

    name: str
    found: str
    limit: str = ""
    passed: bool | None = None


class Verification(msgspec.Struct, frozen=True, tag="done"):
    """All checks of a model on a device; `facts` say what was run and what it was compared with."""

    model: str
    device: str
    facts: dict[str, str]
    checks: tuple[VerifyCheck, ...]

    @property
    def passed(self) -> bool:
        """Whether no limit was overstepped."""
        return all(check.passed is not False for check in self.checks)


VerifyEvent = WorkStep | Verification
