"""Calls on the wire: channels, and awaiting a call from any event loop.

Channels are those of gRPC's synchronous interface, used through futures. Unlike the channels of `grpc.aio` they
belong to no event loop, so one serves all loops and threads of a process, and a forked child can make its own: with
`grpc.aio` a child of a process that had made a call hangs on its first one (seen with grpcio 1.85; grpc/grpc#32163).
The event loop is never blocked: starting a call only queues it, and its end is handed over from gRPC's thread.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import grpc
from google.protobuf.message import Message

from sqlenv.errors import ErrorReason, SqlEnvError
from sqlenv.v1 import environment_service_pb2 as service_pb2
from sqlenv.v1 import episode_pb2

RequestT = TypeVar("RequestT")
ResponseT = TypeVar("ResponseT")
_MessageT = TypeVar("_MessageT", bound=Message)
_OtherT = TypeVar("_OtherT", bound=Message)

MESSAGE_BYTES_MAX = 4 * 1024 * 1024
"""Bytes of a message, both ways: the server's own limit."""

REASON_TRAILER = "sqlenv-error-reason"

_CHANNEL_OPTIONS: tuple[tuple[str, int], ...] = (
    ("grpc.max_receive_message_length", MESSAGE_BYTES_MAX),
    ("grpc.max_send_message_length", MESSAGE_BYTES_MAX),
    # A server that restarts is back within seconds; gRPC's own backoff would grow to two minutes.
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 1_000),
    ("grpc.max_reconnect_backoff_ms", 2_000),
    # Pings only while calls are open: a step is followed by minutes of silence, and servers count idle pings as abuse.
    ("grpc.keepalive_time_ms", 60_000),
    ("grpc.keepalive_timeout_ms", 20_000),
    ("grpc.keepalive_permit_without_calls", 0),
    # Two clients of one process that want two connections get them.
    ("grpc.use_local_subchannel_pool", 1),
)


@dataclass(frozen=True)
class Method(Generic[RequestT, ResponseT]):
    """One method of a service: its name, and how its messages become bytes and back."""

    name: str
    serialize: Callable[[RequestT], bytes]
    parse: Callable[[bytes], ResponseT]
    service: str = "sqlenv.v1.EnvironmentService"


def _method(name: str, request_type: type[_MessageT], response_type: type[_OtherT]) -> Method[_MessageT, _OtherT]:
    return Method(name, request_type.SerializeToString, response_type.FromString)


GET_INFO = _method("GetInfo", service_pb2.GetInfoRequest, service_pb2.GetInfoResponse)
LIST_TASKS = _method("ListTasks", service_pb2.ListTasksRequest, service_pb2.ListTasksResponse)
RESET = _method("Reset", episode_pb2.ResetRequest, episode_pb2.ResetResponse)
STEP = _method("Step", episode_pb2.StepRequest, episode_pb2.StepResponse)
CLOSE = _method("Close", service_pb2.CloseRequest, service_pb2.CloseResponse)
SCORE = _method("Score", service_pb2.ScoreRequest, service_pb2.ScoreResponse)
RUN_SQL = _method("RunSql", service_pb2.RunSqlRequest, service_pb2.RunSqlResponse)

HEALTH_CHECK: Method[bytes, bytes] = Method("Check", bytes, bytes, "grpc.health.v1.Health")
"""The standard health service; its two messages are too small to need stubs."""

HEALTH_SERVING = b"\x08\x01"
"""HealthCheckResponse with field 1, `status`, at 1: SERVING."""


def wire_text(text: str) -> str:
    """Text as a protobuf string can hold it: each half of a surrogate pair that stands alone becomes `?`."""
    return text.encode("utf-8", "replace").decode("utf-8")


async def call(address: str, method: Method[RequestT, ResponseT], request: RequestT, deadline_s: float) -> ResponseT:
    """Makes one attempt of a call. Raises SqlEnvError; cancels the call if the task is cancelled."""
    loop = asyncio.get_running_loop()
    ended: asyncio.Future[None] = loop.create_future()

    def wake() -> None:
        if not ended.done():
            ended.set_result(None)

    def on_end(_: object) -> None:
        # The loop may be closed by then: nobody waits any more.
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(wake)

    rpc = _channels.method(address, method).future(request, timeout=deadline_s)
    rpc.add_done_callback(on_end)
    try:
        await ended
    except asyncio.CancelledError:
        rpc.cancel()
        raise
    return _response(rpc, method, address)


def _response(rpc: Any, method: Method[RequestT, ResponseT], address: str) -> ResponseT:
    """The response of a call that is over. Raises SqlEnvError."""
    try:
        response: ResponseT = rpc.result()
    except (grpc.RpcError, grpc.FutureCancelledError):
        trailers = dict(rpc.trailing_metadata() or ())
        reason = trailers.get(REASON_TRAILER)
        raise SqlEnvError(
            code=rpc.code().name,
            reason=ErrorReason.parse(reason if isinstance(reason, str) else None),
            details=rpc.details() or "",
            method=method.name,
            address=address,
        ) from None
    return response


class _Channels:
    """The channels of this process, made when they are first used; a forked child starts with none."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._channels: dict[str, grpc.Channel] = {}
        self._methods: dict[tuple[str, str, str], Callable[..., Any]] = {}
        self._of_parent: list[object] = []

    def method(self, address: str, method: Method[Any, Any]) -> Any:
        """The callable of a method at an address."""
        key = (address, method.service, method.name)
        with self._lock:
            found = self._methods.get(key)
            if found is None:
                channel = self._channels.get(address)
                if channel is None:
                    channel = grpc.insecure_channel(address, options=_CHANNEL_OPTIONS)
                    self._channels[address] = channel
                found = channel.unary_unary(
                    f"/{method.service}/{method.name}",
                    request_serializer=method.serialize,
                    response_deserializer=method.parse,
                )
                self._methods[key] = found
            return found

    def after_fork_in_child(self) -> None:
        """Forgets the parent's channels without closing them, which would talk to threads that are not there."""
        self._of_parent.append((self._channels, self._methods))
        self._channels, self._methods = {}, {}
        self._lock = threading.Lock()


_channels = _Channels()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_channels.after_fork_in_child)
