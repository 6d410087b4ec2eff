"""Every error that Arcscribe raises on purpose, in one tree.

    ArcscribeError
    ├── InvalidDocument      the bytes are not a document that can be read
    │   └── TooLarge         the document is over a limit (bytes, pages, pixels)
    ├── InvalidOption        an option has a value that cannot be
    ├── PasswordRequired     the document is encrypted; no password, or a wrong one, was given
    ├── Unauthenticated      no token, or a wrong one
    ├── QueueFull            no room for more work now; try again
    ├── StageUnavailable     a stage is loading, draining or gone; try again
    ├── StageTimeout         the deadline passed
    ├── InferenceFailed      a model failed; the cause is in the stage's log
    ├── ModelMissing         a model's file is absent or damaged
    ├── DeviceMissing        the configured device is not on this machine
    ├── AddressInUse         the address to listen on is taken
    └── InvalidConfig        a configuration file cannot be used

`status` is the gRPC status a caller sees, `reason` the word that goes with it in google.rpc.ErrorInfo, and
`retryable` says whether the same call may succeed later.
"""

from typing import ClassVar

import grpc


class ArcscribeError(Exception):
    """The root. `message` is one sentence for a person, and says what can be done about it."""

    status: ClassVar[grpc.StatusCode] = grpc.StatusCode.INTERNAL
    reason: ClassVar[str] = "INTERNAL"
    retryable: ClassVar[bool] = False

    def __init__(self, message: str, /, **details: str) -> None:
        super().__init__(message)
        self.message = message
        self.details = details
        """Facts that a program can act on, such as `limit`; they travel as ErrorInfo metadata."""


class InvalidDocument(ArcscribeError):
    """Corrupt, empty, or not what its name says."""

    status = grpc.StatusCode.INVALID_ARGUMENT
    reason = "INVALID_DOCUMENT"


class TooLarge(InvalidDocument):
    """Over a limit; `details["limit"]` is the limit and `details["what"]` what it limits."""

    reason = "TOO_LARGE"


class InvalidOption(ArcscribeError):
    """`details["field"]` names the option."""

    status = grpc.StatusCode.INVALID_ARGUMENT
    reason = "INVALID_OPTION"


class PasswordRequired(ArcscribeError):
    """The document is encrypted, and the password is absent or wrong."""

    status = grpc.StatusCode.FAILED_PRECONDITION
    reason = "PASSWORD_REQUIRED"


class Unauthenticated(ArcscribeError):
    """The server wants a token, and the call carries none that it knows."""

    status = grpc.StatusCode.UNAUTHENTICATED
    reason = "UNAUTHENTICATED"


class QueueFull(ArcscribeError):
    """Every place is taken; `details["retry_after_ms"]` says when to come back."""

    status = grpc.StatusCode.RESOURCE_EXHAUSTED
    reason = "QUEUE_FULL"
    retryable = True

    def retry_after(self, default: float) -> float:
        """The seconds after which to come back, as it says; the default where it does not."""
        told = self.details.get("retry_after_ms", "")
        return int(told) / 1000 if told.isdecimal() else default


class StageUnavailable(ArcscribeError):
    """A stage is loading, draining or gone."""

    status = grpc.StatusCode.UNAVAILABLE
    reason = "STAGE_UNAVAILABLE"
    retryable = True


class StageTimeout(ArcscribeError):
    """The deadline passed before the answer came."""

    status = grpc.StatusCode.DEADLINE_EXCEEDED
    reason = "STAGE_TIMEOUT"


class InferenceFailed(ArcscribeError):
    """A model failed; a caller sees no more than that."""

    reason = "INFERENCE_FAILED"


class ModelMissing(ArcscribeError):
    """A model's file is absent or damaged; `details["command"]` mends it."""

    status = grpc.StatusCode.FAILED_PRECONDITION
    reason = "MODEL_MISSING"


class DeviceMissing(ArcscribeError):
    """OpenVINO does not see the configured device."""

    status = grpc.StatusCode.FAILED_PRECONDITION
    reason = "DEVICE_MISSING"


class AddressInUse(ArcscribeError):
    """Another process listens there."""

    status = grpc.StatusCode.UNAVAILABLE
    reason = "ADDRESS_IN_USE"


class InvalidConfig(ArcscribeError):
    """A configuration file is absent, is not TOML, or holds what it must not."""

    status = grpc.StatusCode.FAILED_PRECONDITION
    reason = "INVALID_CONFIG"
