"""What happens round every call: a request id for the logs, a span, a count, and errors into statuses."""

import asyncio
import time
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import aclosing, contextmanager, suppress
from typing import Any

import grpc
import structlog
from google.protobuf.message import DecodeError

from arcscribe.errors import ArcscribeError, InferenceFailed, InvalidOption
from arcscribe.rpc.deadline import bind_deadline
from arcscribe.rpc.logs import request_id_of
from arcscribe.rpc.metrics import FAILURES, REQUEST_SECONDS, REQUESTS, REQUESTS_IN_WORK
from arcscribe.rpc.status import to_status
from arcscribe.rpc.traces import current_span

log = structlog.get_logger()

Context = Any  # the stubs of grpc.aio do not know abort_with_status
RpcMethodHandler = Any  # a handler of any message types
Continuation = Callable[[grpc.HandlerCallDetails], Awaitable[RpcMethodHandler]]


class CallInterceptor(grpc.aio.ServerInterceptor):  # type: ignore[type-arg]  # generic in the stubs only
    """Binds the request id, and turns an exception into the status that errors.py gives it.

    An exception outside that tree is our fault: it is logged whole, and the caller gets an opaque INTERNAL.
    """

    async def intercept_service(
        self, continuation: Continuation, handler_call_details: grpc.HandlerCallDetails
    ) -> RpcMethodHandler:
        handler = await continuation(handler_call_details)
        method = handler_call_details.method
        if handler is None or not method.startswith("/arcscribe."):
            return handler
        if handler.unary_unary:
            return grpc.unary_unary_rpc_method_handler(
                _unary(handler.unary_unary, method), handler.request_deserializer, handler.response_serializer
            )
        return grpc.stream_stream_rpc_method_handler(
            _stream(handler.stream_stream, method), handler.request_deserializer, handler.response_serializer
        )


def _unary(behaviour: Any, method: str) -> Any:
    async def call(request: Any, context: Context) -> Any:
        with _observed(context, method):
            try:
                return await behaviour(request, context)
            except Exception as error:
                del request  # which the call's end would keep: see `_forget`
                await _abort(context, error)

    return call


def _stream(behaviour: Any, method: str) -> Any:
    async def call(requests: AsyncIterator[Any], context: Context) -> AsyncIterator[Any]:
        with _observed(context, method):
            try:
                async with aclosing(behaviour(requests, context)) as responses:
                    async for response in responses:
                        yield response
            except Exception as error:
                await _abort(context, error)

    return call


@contextmanager
def _observed(context: Context, method: str) -> Iterator[None]:
    """The call has its request id in the logs, a span, and is counted by how it ended."""
    metadata = tuple(context.invocation_metadata() or ())
    structlog.contextvars.bind_contextvars(request_id=request_id_of(metadata), method=method)
    bind_deadline(context.time_remaining())
    name, started = method.rpartition("/")[2], time.perf_counter()
    span = current_span().continued(name, metadata)
    code = grpc.StatusCode.OK
    try:
        with REQUESTS_IN_WORK.labels(name).track_inprogress(), span.current():
            yield
    except BaseException as error:
        code = _code_of(context, error)
        raise
    finally:
        REQUESTS.labels(name, code.name).inc()
        REQUEST_SECONDS.labels(name).observe(time.perf_counter() - started)
        span.end("" if code is grpc.StatusCode.OK else code.name)


def _code_of(context: Context, error: BaseException) -> grpc.StatusCode:
    if isinstance(error, asyncio.CancelledError | GeneratorExit):
        is_late = context.time_remaining() == 0
        return grpc.StatusCode.DEADLINE_EXCEEDED if is_late else grpc.StatusCode.CANCELLED
    code = context.code()
    return code if isinstance(code, grpc.StatusCode) else grpc.StatusCode.UNKNOWN


async def read_away(requests: AsyncIterator[object], seconds: float) -> None:
    """Lets a caller finish, for so long at most: one that still sends when its call ends is not told why."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            async for _request in requests:
                pass


async def _abort(context: Context, error: Exception) -> None:
    if isinstance(error, grpc.aio.AbortError):
        raise error
    if isinstance(error, DecodeError):
        error = InvalidOption("a message cannot be decoded", field="message")
    if isinstance(error, ArcscribeError):
        FAILURES.labels("call", error.reason).inc()
        log.warning("call failed", reason=error.reason, retryable=error.retryable)
        _forget(error)
        await context.abort_with_status(to_status(error))
    if isinstance(error, grpc.aio.UsageError | grpc.aio.InternalError):
        raise error
    FAILURES.labels("call", InferenceFailed.reason).inc()
    log.error("call failed", exc_info=error)
    _forget(error)
    await context.abort_with_status(to_status(InferenceFailed("unexpected error")))


def _forget(error: BaseException | None) -> None:
    """Lets go of what the functions had in hand through which an error came: documents, pixels.

    What gRPC ends a call with holds the error, and holds itself, so that both stay until Python looks for
    cycles. That may be hundreds of calls later, and each may have had the largest document there is.
    """
    while error is not None:
        traceback.clear_frames(error.__traceback__)
        error = error.__context__
