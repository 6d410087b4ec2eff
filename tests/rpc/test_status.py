"""Errors as gRPC statuses: every class of the tree travels, with what a caller can act on."""

from collections.abc import Iterator
from typing import Any

import grpc
import pytest
from google.rpc import error_details_pb2, status_pb2
from hypothesis import example, given
from hypothesis import strategies as st

from arcscribe import errors
from arcscribe.errors import ArcscribeError, InferenceFailed, InvalidOption, QueueFull, StageUnavailable
from arcscribe.rpc.status import DOMAIN, LONGEST_TEXT, OPAQUE_MESSAGE, from_rpc_error, to_status

METADATA_LIMIT = 8 * 1024
"""gRPC's own, for all metadata of a call."""


def tree(root: type[ArcscribeError] = ArcscribeError) -> Iterator[type[ArcscribeError]]:
    yield root
    for kind in root.__subclasses__():
        yield from tree(kind)


CLASSES = list(tree())


def received(status: grpc.Status) -> grpc.aio.AioRpcError:
    """The status as a caller's gRPC raises it."""
    return grpc.aio.AioRpcError(
        status.code, grpc.aio.Metadata(), grpc.aio.Metadata(*status.trailing_metadata), status.details, ""
    )


def details(status: grpc.Status) -> dict[str, Any]:
    """The details by the names of their messages."""
    packed = status_pb2.Status.FromString(dict(status.trailing_metadata)["grpc-status-details-bin"]).details
    kinds = (error_details_pb2.ErrorInfo, error_details_pb2.BadRequest, error_details_pb2.RetryInfo)
    found = {}
    for kind in kinds:
        for detail in packed:
            message = kind()
            if detail.Unpack(message):
                found[kind.__name__] = message
    return found


def test_the_tree_in_the_docstring_is_the_tree() -> None:
    named = [line.split("── ")[1].split()[0] for line in (errors.__doc__ or "").splitlines() if "── " in line]
    assert sorted(named) == sorted(kind.__name__ for kind in CLASSES if kind is not ArcscribeError)


def test_no_two_classes_share_a_reason() -> None:
    assert len({kind.reason for kind in CLASSES}) == len(CLASSES)


@pytest.mark.parametrize("kind", CLASSES)
def test_every_error_arrives_as_the_class_that_was_sent(kind: type[ArcscribeError]) -> None:
    status = to_status(kind("it is so", what="a fact"))
    assert status.code is kind.status
    back = from_rpc_error(received(status))
    assert type(back) is kind
    assert back.details == {"what": "a fact"}
    internal = kind.status is grpc.StatusCode.INTERNAL
    assert back.message == (OPAQUE_MESSAGE if internal else "it is so")


@pytest.mark.parametrize("kind", CLASSES)
def test_every_error_carries_its_reason_and_says_whether_to_call_again(kind: type[ArcscribeError]) -> None:
    found = details(to_status(kind("it is so")))
    assert (found["ErrorInfo"].reason, found["ErrorInfo"].domain) == (kind.reason, DOMAIN)
    assert ("RetryInfo" in found) == kind.retryable


def test_a_full_queue_says_when_to_come_back() -> None:
    retry = details(to_status(QueueFull("full", retry_after_ms="1500")))["RetryInfo"]
    assert retry.retry_delay.ToMilliseconds() == 1500


def test_an_invalid_option_names_its_field() -> None:
    (violation,) = details(to_status(InvalidOption("dpi is 5", field="dpi")))["BadRequest"].field_violations
    assert (violation.field, violation.description) == ("dpi", "dpi is 5")


def test_an_internal_error_tells_its_caller_nothing() -> None:
    status = to_status(InferenceFailed("tensor of /secret/model has the text of page 3"))
    assert status.details == OPAQUE_MESSAGE


@given(st.text(alphabet="合同\udcff\n", min_size=1, max_size=5000))
@example("合" * 5000)
@example("\udcff" * 5000)
def test_a_status_fits_into_the_metadata_of_a_call_whatever_it_says(text: str) -> None:
    status = to_status(InvalidOption(text, field=text))
    assert len(status.details) <= LONGEST_TEXT
    packed = dict(status.trailing_metadata)["grpc-status-details-bin"]
    percent_encoded = 3 * len(status.details.encode())
    assert percent_encoded + len(packed) * 4 / 3 < METADATA_LIMIT


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (grpc.StatusCode.UNAVAILABLE, StageUnavailable),
        (grpc.StatusCode.DEADLINE_EXCEEDED, errors.StageTimeout),
        (grpc.StatusCode.RESOURCE_EXHAUSTED, errors.TooLarge),
        (grpc.StatusCode.UNIMPLEMENTED, InvalidOption),
        (grpc.StatusCode.INTERNAL, StageUnavailable),
        (grpc.StatusCode.UNKNOWN, StageUnavailable),
        (grpc.StatusCode.CANCELLED, StageUnavailable),
        (grpc.StatusCode.DATA_LOSS, InferenceFailed),
    ],
)
def test_statuses_of_grpc_itself_become_errors_too(code: grpc.StatusCode, kind: type[ArcscribeError]) -> None:
    error = grpc.aio.AioRpcError(code, grpc.aio.Metadata(), grpc.aio.Metadata(), "words of gRPC", "")
    assert type(from_rpc_error(error)) is kind


@pytest.mark.parametrize("packed", [b"\xff\xff", b"", status_pb2.Status(code=3).SerializeToString()])
def test_details_that_are_garbage_or_absent_are_no_obstacle(packed: bytes) -> None:
    metadata = grpc.aio.Metadata(("grpc-status-details-bin", packed))
    error = grpc.aio.AioRpcError(grpc.StatusCode.UNAVAILABLE, grpc.aio.Metadata(), metadata, "gone", "")
    assert type(from_rpc_error(error)) is StageUnavailable


def test_facts_of_any_name_travel() -> None:
    status = to_status(StageUnavailable("gone", **{"self": "a", "message": "b"}))
    assert from_rpc_error(received(status)).details == {"self": "a", "message": "b"}


def test_an_error_of_grpcs_own_is_a_connection_that_broke() -> None:
    error = from_rpc_error(grpc.aio.InternalError("Failed grpc_call_start_batch"))
    assert (type(error), error.retryable) == (StageUnavailable, True)
