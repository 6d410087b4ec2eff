"""Errors into gRPC statuses with details, and back.

Details follow google.rpc: ErrorInfo always, BadRequest for an option, RetryInfo where a later call may
succeed.
"""

from collections.abc import Iterator
from typing import Any

import grpc
from google.protobuf import any_pb2, duration_pb2
from google.protobuf.message import DecodeError, Message
from google.rpc import error_details_pb2, status_pb2
from grpc_status import rpc_status

from arcscribe import errors
from arcscribe.errors import ArcscribeError

DOMAIN = "arcscribe"
OPAQUE_MESSAGE = "the stage failed; its log tells why, under the request id"

LONGEST_TEXT = 300
"""Characters of a message or a detail. All of them travel as metadata, which gRPC limits to 8 KiB a call."""


def _tree(root: type[ArcscribeError]) -> Iterator[type[ArcscribeError]]:
    yield root
    for kind in root.__subclasses__():
        yield from _tree(kind)


_BY_REASON: dict[str, type[ArcscribeError]] = {kind.reason: kind for kind in _tree(ArcscribeError)}


def to_status(error: ArcscribeError) -> grpc.Status:
    """The status that a caller gets for an error, with its details."""
    message = OPAQUE_MESSAGE if error.status is grpc.StatusCode.INTERNAL else _fit(error.message)
    facts = {key: _fit(value) for key, value in error.details.items()}
    details: list[Message] = [error_details_pb2.ErrorInfo(reason=error.reason, domain=DOMAIN, metadata=facts)]
    if "field" in facts:
        details.append(_bad_request(facts["field"], message))
    if error.retryable:
        details.append(_retry_info(int(error.details.get("retry_after_ms", "1000"))))
    return rpc_status.to_status(
        status_pb2.Status(
            code=error.status.value[0], message=message, details=[_packed(detail) for detail in details]
        )
    )


def _fit(text: str) -> str:
    """The text, short enough, and without what UTF-8 cannot say: parts of file names, sometimes."""
    short = text if len(text) <= LONGEST_TEXT else text[: LONGEST_TEXT - 1] + "…"
    return short.encode("utf-8", "replace").decode("utf-8")


def _bad_request(field: str, description: str) -> error_details_pb2.BadRequest:
    violation = error_details_pb2.BadRequest.FieldViolation(field=field, description=description)
    return error_details_pb2.BadRequest(field_violations=[violation])


def _retry_info(milliseconds: int) -> error_details_pb2.RetryInfo:
    delay = duration_pb2.Duration()
    delay.FromMilliseconds(milliseconds)
    return error_details_pb2.RetryInfo(retry_delay=delay)


def _packed(detail: Message) -> any_pb2.Any:
    packed = any_pb2.Any()
    packed.Pack(detail)
    return packed


CALL_ERRORS = (grpc.aio.AioRpcError, grpc.aio.InternalError)
"""What a call of grpc.aio raises: mostly an error with a status; one without, of its own, where the deadline
or the connection ends while a message is being sent (grpc._cython.cygrpc.ExecuteBatchError)."""


def from_rpc_error(error: grpc.RpcError | grpc.aio.InternalError) -> ArcscribeError:
    """The error that a failed call stands for; one of `CALL_ERRORS` is a connection that broke.

    A RESOURCE_EXHAUSTED without details is gRPC's own refusal of a message over its size; no retry mends it.
    """
    code, message = status_of(error), _message(error)
    info = _error_info(error)
    if info is not None and info.domain == DOMAIN and info.reason in _BY_REASON:
        return _BY_REASON[info.reason](message, **dict(info.metadata))
    return _of_grpc_itself(code, message)


def _of_grpc_itself(code: grpc.StatusCode, message: str) -> ArcscribeError:  # noqa: PLR0911  # a table
    match code:
        case grpc.StatusCode.UNAVAILABLE:
            return errors.StageUnavailable(f"the server cannot be reached: {message}")
        case grpc.StatusCode.INTERNAL | grpc.StatusCode.UNKNOWN | grpc.StatusCode.CANCELLED:
            # A server of ours that fails says why, in details. Without them it is the connection that ended,
            # in the middle of sending, of headers or of a frame; gRPC has a status and a text for each.
            return errors.StageUnavailable(f"the connection broke: {message}")
        case grpc.StatusCode.DEADLINE_EXCEEDED:
            return errors.StageTimeout("the deadline passed")
        case grpc.StatusCode.RESOURCE_EXHAUSTED:
            return errors.TooLarge(f"the message is over a limit: {message}", what="message bytes")
        case grpc.StatusCode.UNAUTHENTICATED:
            return errors.Unauthenticated(message or "the server wants a token")
        case grpc.StatusCode.UNIMPLEMENTED:
            return errors.InvalidOption("the address answers, but offers no such service", field="server")
        case _:
            return errors.InferenceFailed(message or str(code))


def status_of(error: Exception) -> grpc.StatusCode:
    """The status of an error that a call raised; UNKNOWN where it has none."""
    return error.code() if isinstance(error, grpc.Call | grpc.aio.AioRpcError) else grpc.StatusCode.UNKNOWN


def _message(error: Exception) -> str:
    return (error.details() or "") if isinstance(error, grpc.Call | grpc.aio.AioRpcError) else str(error)


def _error_info(error: Exception) -> error_details_pb2.ErrorInfo | None:
    if not isinstance(error, grpc.Call | grpc.aio.AioRpcError):
        return None
    metadata: Any = error.trailing_metadata() or ()
    details = (value for key, value in metadata if key == "grpc-status-details-bin")
    return next((_unpacked(value) for value in details if isinstance(value, bytes)), None)


def _unpacked(value: bytes) -> error_details_pb2.ErrorInfo | None:
    info = error_details_pb2.ErrorInfo()
    try:
        details = status_pb2.Status.FromString(value).details
        return info if any(detail.Unpack(info) for detail in details) else None
    except DecodeError:
        return None
