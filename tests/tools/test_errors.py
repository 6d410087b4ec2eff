"""What commands say of errors."""

import pytest

from arcscribe.errors import ArcscribeError, InvalidDocument, Unauthenticated
from arcscribe.tools.errors import in_words


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (InvalidDocument("it is empty"), "it is empty"),
        (
            Unauthenticated("the token is not known here"),
            "the token is not known here; give one with --token-file, or in ARCSCRIBE_TOKEN",
        ),
        (FileNotFoundError(2, "No such file or directory", "a.pdf"), "a.pdf: No such file or directory"),
        (OSError("the disk is full"), "the disk is full"),
    ],
)
def test_an_error_is_told_with_what_the_user_can_do(error: ArcscribeError | OSError, told: str) -> None:
    assert in_words(error) == told
