"""The operations document knows every error, and says what to do about it."""

import re
from pathlib import Path

from arcscribe import errors

PAGE = Path(__file__).parents[2] / "docs" / "operations.md"


def test_every_error_has_its_status_whether_to_call_again_and_what_to_do() -> None:
    section = PAGE.read_text(encoding="utf-8").split("\n## Errors\n")[1].split("\n## ")[0]
    cells = [line.strip("|").split("|") for line in section.splitlines() if line.startswith("| `")]
    listed = {
        reason.strip(" `"): (status.strip(), again.strip() == "yes") for reason, status, again, _ in cells
    }
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type)]
    assert listed == {
        kind.reason: (kind.status.name, kind.retryable)
        for kind in kinds
        if issubclass(kind, errors.ArcscribeError) and kind is not errors.ArcscribeError
    }
    assert all(re.search(r"[a-z]{4}", what) for *_, what in cells)
