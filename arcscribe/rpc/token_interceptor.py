"""Lets in calls that carry a known token, each within its share; health checks need none.

It stands within `CallInterceptor`, which turns what is raised here into a status. A call that is refused is
refused before its message is read.
"""

from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import aclosing, contextmanager
from typing import Any

import grpc
import structlog

from arcscribe.errors import ArcscribeError, QueueFull, Unauthenticated
from arcscribe.rpc.interceptor import Context, Continuation, RpcMethodHandler, read_away
from arcscribe.rpc.status import to_status
from arcscribe.rpc.tokens import Token, authenticated

HEALTH = "/grpc.health.v1.Health/"
OURS = "/arcscribe."
LINGER_SECONDS = 2.0
"""How long who is refused may go on sending."""


class TokenInterceptor(grpc.aio.ServerInterceptor):  # type: ignore[type-arg]  # generic in the stubs only
    """Checks the token of each call, and binds the caller's name to what the call logs."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self._tokens = tokens
        self._in_work: Counter[str] = Counter()

    async def intercept_service(
        self, continuation: Continuation, handler_call_details: grpc.HandlerCallDetails
    ) -> RpcMethodHandler:
        method = handler_call_details.method
        if method.startswith(HEALTH):
            return await continuation(handler_call_details)
        try:
            token = authenticated(self._tokens, tuple(handler_call_details.invocation_metadata or ()))
        except Unauthenticated as error:
            return _refusal(error, is_ours=method.startswith(OURS))
        structlog.contextvars.bind_contextvars(caller=token.name)
        handler = await continuation(handler_call_details)
        if handler is None or not method.startswith(OURS):
            return handler
        if self._is_full(token):
            return _refusal(_full(token), is_ours=True)
        return self._counted(handler, token)

    def _is_full(self, token: Token) -> bool:
        return 0 < token.places <= self._in_work[token.name]

    @contextmanager
    def _place(self, token: Token) -> Iterator[None]:
        if self._is_full(token):
            raise _full(token)
        self._in_work[token.name] += 1
        try:
            yield
        finally:
            self._in_work[token.name] -= 1

    def _counted(self, handler: RpcMethodHandler, token: Token) -> RpcMethodHandler:
        async def unary(request: Any, context: Context) -> Any:
            with self._place(token):
                return await handler.unary_unary(request, context)

        async def stream(requests: AsyncIterator[Any], context: Context) -> AsyncIterator[Any]:
            with self._place(token):
                async with aclosing(handler.stream_stream(requests, context)) as responses:
                    async for response in responses:
                        yield response

        codecs = (handler.request_deserializer, handler.response_serializer)
        if handler.unary_unary:
            return grpc.unary_unary_rpc_method_handler(unary, *codecs)
        return grpc.stream_stream_rpc_method_handler(stream, *codecs)


def _full(token: Token) -> QueueFull:
    return QueueFull(f"the {token.places} places of this token are taken", retry_after_ms="1000")


def _refusal(error: ArcscribeError, *, is_ours: bool) -> RpcMethodHandler:
    """What ends a call of any shape with an error, whatever it sends."""

    async def refuse(requests: AsyncIterator[bytes], context: Context) -> AsyncIterator[bytes]:
        await read_away(requests, LINGER_SECONDS)
        if not is_ours:
            await context.abort_with_status(to_status(error))
        raise error
        yield b""

    return grpc.stream_stream_rpc_method_handler(refuse)
