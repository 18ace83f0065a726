"""Calls on the wire: channels, and awaiting a call from any event loop, each alone or on a stream.

Channels are those of gRPC's synchronous interface, used through futures. Unlike the channels of `grpc.aio` they
belong to no event loop, so one serves all loops and threads of a process, and a forked child can make its own: with
`grpc.aio` a child of a process that had made a call hangs on its first one (seen with grpcio 1.85; grpc/grpc#32163).
They are closed before a fork and opened anew after it, which calls under way do not notice.
The event loop is never blocked: starting a call only queues it, and its end is handed over from another thread.
"""

from __future__ import annotations

import asyncio
import atexit
import collections
import contextlib
import os
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar, cast, get_args

import grpc
from google.protobuf.message import Message

from sqlenv.errors import ErrorReason, SqlEnvError
from sqlenv.stream import MESSAGE_BYTES_MAX, CallStream, Failure, Member, status_of
from sqlenv.v1 import environment_service_pb2 as service_pb2
from sqlenv.v1 import episode_pb2

RequestT = TypeVar("RequestT")
ResponseT = TypeVar("ResponseT")
_MessageT = TypeVar("_MessageT", bound=Message)
_OtherT = TypeVar("_OtherT", bound=Message)

Transport = Literal["auto", "stream", "unary"]
"""How Reset, Step and Close travel: on a stream where the server has one, on a stream or not at all, each alone."""

TRANSPORT_VARIABLE = "SQLENV_TRANSPORT"
"""Environment variable with the transport of clients that are not given one."""

_LOST_CODES = frozenset({"UNAVAILABLE", "CANCELLED"})
"""A stream that ends so has lost its server; with another status, something between or in it can't do streams."""

_CHANNEL_OPTIONS: tuple[tuple[str, int], ...] = (
    ("grpc.max_receive_message_length", MESSAGE_BYTES_MAX),
    ("grpc.max_send_message_length", MESSAGE_BYTES_MAX),
    # A server that restarts is back within seconds; gRPC's own backoff would grow to two minutes.
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 1_000),
    ("grpc.max_reconnect_backoff_ms", 2_000),
    # Pings only while calls are open, a stream among them: servers count pings on an idle connection as abuse.
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
    member: Member | None = None
    """What it is on a stream; None if a stream can't carry it."""


def _method(
    name: str, request_type: type[_MessageT], response_type: type[_OtherT], member: Member | None = None
) -> Method[_MessageT, _OtherT]:
    return Method(name, request_type.SerializeToString, response_type.FromString, member=member)


GET_INFO = _method("GetInfo", service_pb2.GetInfoRequest, service_pb2.GetInfoResponse)
LIST_TASKS = _method("ListTasks", service_pb2.ListTasksRequest, service_pb2.ListTasksResponse)
RESET = _method("Reset", episode_pb2.ResetRequest, episode_pb2.ResetResponse, "reset")
STEP = _method("Step", episode_pb2.StepRequest, episode_pb2.StepResponse, "step")
CLOSE = _method("Close", service_pb2.CloseRequest, service_pb2.CloseResponse, "close")
SCORE = _method("Score", service_pb2.ScoreRequest, service_pb2.ScoreResponse)
RUN_SQL = _method("RunSql", service_pb2.RunSqlRequest, service_pb2.RunSqlResponse)

HEALTH_CHECK: Method[bytes, bytes] = Method("Check", bytes, bytes, "grpc.health.v1.Health")
"""The standard health service; its two messages are too small to need stubs."""

HEALTH_SERVING = b"\x08\x01"
"""HealthCheckResponse with field 1, `status`, at 1: SERVING."""


def wire_text(text: str) -> str:
    """Text as a protobuf string can hold it: each half of a surrogate pair that stands alone becomes `?`."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def check_transport(transport: str | None) -> Transport:
    """The transport of this name; for None the one that the environment names, else auto. Raises ValueError."""
    named = transport or os.environ.get(TRANSPORT_VARIABLE) or "auto"
    if named not in get_args(Transport):
        origin = "" if transport else f" ({TRANSPORT_VARIABLE})"
        raise ValueError(f"transport must be one of {', '.join(get_args(Transport))}, not {named!r}{origin}")
    return cast(Transport, named)


async def call(
    address: str,
    method: Method[RequestT, ResponseT],
    request: RequestT,
    deadline_s: float,
    transport: Transport = "auto",
) -> ResponseT:
    """Makes one attempt of a call. Raises SqlEnvError; gives the call up if the task is cancelled."""
    end = time.monotonic() + deadline_s
    while True:
        connection = _connections.of(address)
        outcome: ResponseT | Failure = await connection.attempt(method, request, deadline_s, transport)
        if not isinstance(outcome, Failure):
            return outcome
        # All calls are safe to repeat, and nothing happened to this one but that its process was forked.
        if not connection.left_for_fork or outcome.code not in _LOST_CODES:
            raise SqlEnvError(outcome.code, outcome.reason, outcome.details, method.name, address)
        deadline_s = max(0.001, end - time.monotonic())


def close_connections() -> None:
    """Closes the connections of this process, and ends the threads that serve them. The next call connects anew.

    Calls under way fail as if their server had been lost. Idempotent.
    """
    _connections.close()


class _Connection:
    """What this process has open to one server: a channel, and the stream on it once there is one."""

    def __init__(self, address: str, lock: threading.RLock) -> None:
        """`lock` is held while a call is started: see `_Connections._before_fork`."""
        self.left_for_fork = False
        """True if it was closed only because the process was about to fork."""
        self._lock = lock
        self._channel = grpc.insecure_channel(address, options=_CHANNEL_OPTIONS)
        self._methods: dict[str, Any] = {}
        self._stream = CallStream(self._open_stream)

    async def attempt(self, method: Method[Any, Any], request: Any, deadline_s: float, transport: Transport) -> Any:
        """Makes a call, by the way that the transport says; returns its response, or a `Failure`."""
        if method.member is None or transport == "unary" or (transport == "auto" and self._stream.is_unimplemented):
            return await self._attempt_alone(method, request, deadline_s)
        end = time.monotonic() + deadline_s
        outcome = await self._stream.call(method.member, request, deadline_s)
        if transport != "auto" or not isinstance(outcome, Failure):
            return outcome
        if not outcome.of_stream or outcome.code in _LOST_CODES:
            return outcome
        # Alone, a call fails for a reason of its own only: not since there is no stream, nor by another call's fault.
        return await self._attempt_alone(method, request, max(0.001, end - time.monotonic()))

    def close(self) -> None:
        """Ends the stream and closes the channel; no thread of theirs is in gRPC afterwards."""
        self._stream.close()
        self._channel.close()

    async def _attempt_alone(self, method: Method[Any, Any], request: Any, deadline_s: float) -> Any:
        loop = asyncio.get_running_loop()
        ended: asyncio.Future[None] = loop.create_future()

        arrivals = _arrivals_of(loop)

        def on_end(_: object) -> None:
            arrivals.put(ended)

        try:
            with self._lock:
                rpc = self._callable(method).future(request, timeout=deadline_s)
        except ValueError as error:  # the channel was closed a moment ago
            return Failure("CANCELLED", ErrorReason.UNSPECIFIED, str(error))
        rpc.add_done_callback(on_end)
        try:
            await ended
        except asyncio.CancelledError:
            with self._lock:
                rpc.cancel()
            raise
        try:
            return rpc.result()
        except (grpc.RpcError, grpc.FutureCancelledError):
            return status_of(rpc)

    def _open_stream(self, requests: Iterator[bytes]) -> Any:
        with self._lock:
            stream_steps: Any = self._channel.stream_stream(
                "/sqlenv.v1.EnvironmentService/StreamSteps",
                response_deserializer=service_pb2.StreamStepsResponse.FromString,
            )
            return stream_steps(requests)

    def _callable(self, method: Method[Any, Any]) -> Any:
        path = f"/{method.service}/{method.name}"
        found = self._methods.get(path)
        if found is None:
            found = self._methods[path] = self._channel.unary_unary(
                path, request_serializer=method.serialize, response_deserializer=method.parse
            )
        return found


class _Arrivals:
    """Calls of one event loop that have ended: those that end together wake it once. Waking takes a system call."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        # Not the loop itself: what is kept for it must not keep it.
        self._loop = weakref.ref(loop)
        self._ended: collections.deque[asyncio.Future[None]] = collections.deque()
        self._is_planned = False

    def put(self, ended: asyncio.Future[None]) -> None:
        """Has the loop end this future soon. For any thread."""
        self._ended.append(ended)
        if self._is_planned:
            return
        self._is_planned = True
        loop = self._loop()
        # The loop may be gone or closed by then: nobody waits any more.
        if loop is not None:
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(self._hand_over)

    def _hand_over(self) -> None:
        # First of all: what is put from here on plans another time, or is found below.
        self._is_planned = False
        while self._ended:
            ended = self._ended.popleft()
            if not ended.done():
                ended.set_result(None)


_arrivals: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, _Arrivals] = weakref.WeakKeyDictionary()


def _arrivals_of(loop: asyncio.AbstractEventLoop) -> _Arrivals:
    """What has ended for the running loop."""
    found = _arrivals.get(loop)
    if found is None:
        found = _arrivals[loop] = _Arrivals(loop)
    return found


class _Connections:
    """The connections of this process, made when they are first used; a forked child starts with none."""

    def __init__(self) -> None:
        # One that its holder can take again: a signal handler may fork in the midst of anything.
        self._lock = threading.RLock()
        self._open: dict[str, _Connection] = {}
        # Never used. With the last channel gRPC shuts itself down, in a thread, which a fork must not catch at it: a
        # child would hang in making its first channel.
        self._anchor: grpc.Channel | None = None

    def of(self, address: str) -> _Connection:
        """The connection to an address."""
        found = self._open.get(address)
        if found is None:
            with self._lock:
                found = self._open.get(address)
                if found is None:
                    if self._anchor is None:
                        self._anchor = self._prepare()
                    found = self._open[address] = _Connection(address, self._lock)
        return found

    def close(self) -> None:
        """Closes them all."""
        with self._lock:
            closing, self._open = self._open, {}
        for connection in closing.values():
            connection.close()

    def _prepare(self) -> grpc.Channel:
        """Makes the anchor, and sees to forks."""
        anchor = grpc.insecure_channel("127.0.0.1:1")
        if hasattr(os, "register_at_fork"):
            # What is registered last runs first before a fork. gRPC's own handler, which it registers with its first
            # channel, stops its threads: a connection could not be closed after it.
            os.register_at_fork(before=self._before_fork, after_in_parent=self._after_fork_in_parent)
        return anchor

    def _before_fork(self) -> None:
        """Closes them, and lets neither connections nor calls be started until the fork is over.

        A child of a process with a thread in gRPC hangs or dies at its own first call, at times (seen with grpcio 1.85:
        "Check failed: g_active_poller"). An open stream has one there always, a unary call while it starts or runs.
        """
        self._lock.acquire()
        closing, self._open = self._open, {}
        for connection in closing.values():
            connection.left_for_fork = True
            connection.close()

    def _after_fork_in_parent(self) -> None:
        """Lets connections be opened again."""
        self._lock.release()

    def after_fork_in_child(self) -> None:
        """Lets connections be opened, by threads that are still there."""
        self._lock = threading.RLock()


_connections = _Connections()
# Threads that still read when the interpreter goes would be cut off in the midst of gRPC's code.
atexit.register(close_connections)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_connections.after_fork_in_child)
