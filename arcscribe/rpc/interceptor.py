"""What happens round every call: a request id for the logs, and errors into statuses."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from typing import Any

import grpc
import structlog
from google.protobuf.message import DecodeError

from arcscribe.errors import ArcscribeError, InferenceFailed, InvalidOption
from arcscribe.rpc.deadline import bind_deadline
from arcscribe.rpc.logs import request_id_of
from arcscribe.rpc.status import to_status

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
        _bind(context, method)
        try:
            return await behaviour(request, context)
        except Exception as error:
            await _abort(context, error)

    return call


def _stream(behaviour: Any, method: str) -> Any:
    async def call(requests: AsyncIterator[Any], context: Context) -> AsyncIterator[Any]:
        _bind(context, method)
        try:
            async with aclosing(behaviour(requests, context)) as responses:
                async for response in responses:
                    yield response
        except Exception as error:
            await _abort(context, error)

    return call


def _bind(context: Context, method: str) -> None:
    request_id = request_id_of(tuple(context.invocation_metadata() or ()))
    structlog.contextvars.bind_contextvars(request_id=request_id, method=method)
    bind_deadline(context.time_remaining())


async def _abort(context: Context, error: Exception) -> None:
    if isinstance(error, grpc.aio.AbortError):
        raise error
    if isinstance(error, DecodeError):
        error = InvalidOption("a message cannot be decoded", field="message")
    if isinstance(error, ArcscribeError):
        log.warning("call failed", reason=error.reason, retryable=error.retryable)
        await context.abort_with_status(to_status(error))
    if isinstance(error, grpc.aio.UsageError | grpc.aio.InternalError):
        raise error
    log.error("call failed", exc_info=error)
    await context.abort_with_status(to_status(InferenceFailed("unexpected error")))
