"""A gRPC server between a client and the real one: it notes what passes, and can be an older server without streams."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Any

import grpc

from sqlenv.transport import _CHANNEL_OPTIONS
from sqlenv.v1 import environment_service_pb2 as service_pb2

STREAM_STEPS = "/sqlenv.v1.EnvironmentService/StreamSteps"


class Relay(grpc.GenericRpcHandler):
    """Relays bytes, whatever they mean, to the server at an address.

    `stream_status` is what the stream ends with at once: UNIMPLEMENTED for a server that has none; None relays it.
    """

    def __init__(self, address: str, stream_status: grpc.StatusCode | None = None) -> None:
        self.messages: list[service_pb2.StreamStepsRequest] = []
        """What came on the streams."""
        self.message_sizes: list[int] = []
        self.methods: list[str] = []
        """Names of the methods that were called, in the order of coming."""
        self._stream_status = stream_status
        self._channel = grpc.insecure_channel(address, options=_CHANNEL_OPTIONS)
        self._server = grpc.server(ThreadPoolExecutor(64), handlers=[self], options=_CHANNEL_OPTIONS)
        self.address = f"127.0.0.1:{self._server.add_insecure_port('127.0.0.1:0')}"

    def __enter__(self) -> Relay:
        self._server.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._server.stop(None).wait()
        self._channel.close()

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler[Any, Any] | None:
        """Finds the handler of a method; none makes gRPC answer UNIMPLEMENTED."""
        method = str(handler_call_details.method)
        self.methods.append(method.rpartition("/")[2])
        if method != STREAM_STEPS:
            return grpc.unary_unary_rpc_method_handler(lambda request, context: self._call(method, request, context))
        if self._stream_status is grpc.StatusCode.UNIMPLEMENTED:
            return None
        return grpc.stream_stream_rpc_method_handler(self._stream)

    def _call(self, method: str, request: bytes, context: grpc.ServicerContext) -> bytes:
        upstream: Any = self._channel.unary_unary(method)
        try:
            response: bytes = upstream(request, timeout=context.time_remaining())
        except grpc.RpcError as error:
            self._fail(error, context)
        return response

    def _stream(self, requests: Iterator[bytes], context: grpc.ServicerContext) -> Iterator[bytes]:
        if self._stream_status is not None:
            context.abort(self._stream_status, "no streams here")
        upstream: Any = self._channel.stream_stream(STREAM_STEPS)
        responses = upstream(self._noted(requests))
        context.add_callback(responses.cancel)
        try:
            yield from responses
        except grpc.RpcError as error:
            self._fail(error, context)

    def _noted(self, requests: Iterator[bytes]) -> Iterator[bytes]:
        for request in requests:
            self.messages.append(service_pb2.StreamStepsRequest.FromString(request))
            self.message_sizes.append(len(request))
            yield request

    def _fail(self, error: Any, context: grpc.ServicerContext) -> None:
        context.set_trailing_metadata(error.trailing_metadata() or ())
        context.abort(error.code(), error.details() or "")
