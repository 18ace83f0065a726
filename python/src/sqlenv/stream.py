"""`StreamSteps` as awaitable calls: those that are made in the same turn of an event loop travel in one message.

A call of gRPC costs its caller about 200 us of Python, whatever it carries: headers, a completion, a wake-up of the
event loop. On a stream that is paid once for all calls that travel together. One stream serves all loops and threads of
a process. gRPC's own thread takes messages from a queue, one thread of ours reads the replies, and each message that
arrives wakes each loop that waits for a part of it once.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import queue
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import grpc

from sqlenv.errors import ErrorReason
from sqlenv.v1 import environment_service_pb2 as service_pb2
from sqlenv.v1 import error_pb2

logger = logging.getLogger(__name__)

CALL_COUNT_MAX = 64
"""Calls that travel in one message at most."""

MESSAGE_BYTES_WANTED = 1_000_000
"""Bytes of a message after which the calls that follow go into the next one; the server takes 4 MB."""

MESSAGE_BYTES_MAX = 4 * 1024 * 1024
"""Bytes of a message, both ways: the server's own limit."""

LATE_S = 0.05
"""A call is given up here so long after its deadline, or up to twice that: the server, which knows it, speaks first."""

JOIN_S = 1.0
"""How long `close` waits for the thread that reads."""

REASON_TRAILER = "sqlenv-error-reason"

_TIMEOUT_MS_MAX = 2**32 - 1
_CALL_ID_COUNT = 2**32 - 1

_CODES = {code.value[0]: code.name for code in grpc.StatusCode}

Member = Literal["reset", "step", "close"]
"""What a stream can carry: the field of StreamedCall, and of StreamedReply."""


@dataclass(frozen=True)
class Failure:
    """What a call ended with instead of a response: gRPC's status by name, the server's reason and its text.

    `of_stream` says that the stream broke, so that nothing is known of the call.
    """

    code: str
    reason: ErrorReason
    details: str
    of_stream: bool = False


_TIMED_OUT = Failure("DEADLINE_EXCEEDED", ErrorReason.UNSPECIFIED, "Deadline Exceeded")

_Outcome = service_pb2.StreamedReply | Failure
_OpenRpc = Callable[[Iterator[bytes]], Any]


class _Call:
    """A call under way. Only its own loop touches the future."""

    __slots__ = ("call_id", "encoded", "future", "lane", "stream")

    def __init__(self, call_id: int, encoded: bytes, lane: _Lane) -> None:
        self.call_id = call_id
        self.encoded = encoded
        self.lane = lane
        self.future: asyncio.Future[_Outcome] = lane.loop.create_future()
        self.stream: _OpenStream | None = None


def status_of(rpc: Any) -> Failure:
    """What a call of gRPC that is over, and failed, says."""
    reason = dict(rpc.trailing_metadata() or ()).get(REASON_TRAILER)
    parsed = ErrorReason.parse(reason if isinstance(reason, str) else None)
    return Failure(rpc.code().name, parsed, rpc.details() or "", of_stream=True)


class CallStream:
    """The stream of this process to one server: opened by the first call, and anew by the first one after it broke."""

    def __init__(self, open_rpc: _OpenRpc) -> None:
        """`open_rpc` starts the call StreamSteps with an iterator of serialized requests."""
        self._open_rpc = open_rpc
        # Held for moments only: a stream that breaks must miss no call that is being handed to it.
        self._lock = threading.Lock()
        self._current: _OpenStream | None = None
        self._pending: dict[int, _Call] = {}
        self._ids = itertools.count()
        self._lanes = threading.local()
        self.is_unimplemented = False
        """True once the server has said that it knows no StreamSteps."""

    async def call(self, member: Member, request: Any, deadline_s: float) -> Any:
        """Makes one attempt of a call; returns its response, or a `Failure`.

        A cancelled task drops its call: the server may finish it all the same.
        """
        call_id = next(self._ids) % _CALL_ID_COUNT + 1
        timeout_ms = min(_TIMEOUT_MS_MAX, max(1, round(deadline_s * 1000)))
        # Messages of one repeated field, one after the other, are a message with all its entries: so protobuf defines
        # it. Each call is thus encoded once, and its size is known.
        envelope = service_pb2.StreamStepsRequest()
        fields: dict[str, Any] = {"call_id": call_id, "timeout_ms": timeout_ms, member: request}
        envelope.calls.add(**fields)
        encoded = envelope.SerializeToString()
        if len(encoded) > MESSAGE_BYTES_MAX:
            return _too_large(len(encoded))
        lane = self._lane()
        call = _Call(call_id, encoded, lane)
        lane.add(call, deadline_s)
        try:
            outcome = await call.future
        except asyncio.CancelledError:
            # If it still waits to be sent it is not; else nobody looks for its reply.
            self._pending.pop(call_id, None)
            raise
        if isinstance(outcome, Failure):
            return outcome
        return getattr(outcome, member) if outcome.HasField(member) else _failure_of(outcome)

    def close(self) -> None:
        """Ends the stream; what is under way fails with CANCELLED. Idempotent; the next call opens another one."""
        with self._lock:
            current = self._current
        if current is not None:
            current.close()

    def send(self, calls: list[_Call]) -> None:
        """Sends calls of one loop, to be called there."""
        try:
            with self._lock:
                stream = self._current
                if stream is None:
                    stream = self._current = _OpenStream(self._open_rpc, self._pending, self._over)
                for call in calls:
                    call.stream = stream
                    self._pending[call.call_id] = call
                stream.send(calls)
        except Exception as error:
            # The channel was closed a moment ago, or no thread can be started.
            failure = Failure("UNAVAILABLE", ErrorReason.UNSPECIFIED, f"no stream can be opened: {error!r}")
            _settle([(call.future, failure) for call in calls])

    def give_up(self, call_ids: list[int]) -> None:
        """Ends those of these calls that are not over, to be called in their loop: their time has passed."""
        taken = (self._pending.pop(call_id, None) for call_id in call_ids)
        _settle((call.future, _TIMED_OUT) for call in taken if call is not None)

    def _lane(self) -> _Lane:
        """The lane of the running loop."""
        loop = asyncio.get_running_loop()
        # A thread runs one loop at a time, and for long. One that comes back after another gets a second lane.
        lane: _Lane | None = getattr(self._lanes, "latest", None)
        if lane is None or lane.loop is not loop:
            lane = self._lanes.latest = _Lane(self, loop)
        return lane

    def _over(self, stream: _OpenStream, failure: Failure) -> None:
        """Called by a stream's reader when the stream is over."""
        with self._lock:
            if self._current is stream:
                self._current = None
            calls = [call for call in self._pending.values() if call.stream is stream]
            for call in calls:
                self._pending.pop(call.call_id, None)
        if failure.code == "UNIMPLEMENTED":
            self.is_unimplemented = True
        _hand_over((call, failure) for call in calls)


class _Lane:
    """The calls of one event loop, from being made to being sent, and their deadlines."""

    def __init__(self, stream: CallStream, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self._stream = stream
        self._turn: list[_Call] = []
        # Ids of calls by the tick at which they are given up. A timer for each call, made and cancelled, would be the
        # dearest part of it.
        self._due: dict[int, list[int]] = {}

    def add(self, call: _Call, deadline_s: float) -> None:
        """Sends a call with the others of this turn of the loop."""
        if not self._turn:
            self.loop.call_soon(self._flush)
        self._turn.append(call)
        tick = int((self.loop.time() + deadline_s) / LATE_S) + 2
        due = self._due.get(tick)
        if due is None:
            due = self._due[tick] = []
            self.loop.call_at(tick * LATE_S, self._give_up, tick)
        due.append(call.call_id)

    def _flush(self) -> None:
        calls = [call for call in self._turn if not call.future.done()]
        self._turn = []
        if calls:
            self._stream.send(calls)

    def _give_up(self, tick: int) -> None:
        self._stream.give_up(self._due.pop(tick))


class _OpenStream:
    """One call of StreamSteps, from its start to its end."""

    def __init__(
        self, open_rpc: _OpenRpc, pending: dict[int, _Call], on_over: Callable[[_OpenStream, Failure], None]
    ) -> None:
        self._pending = pending
        self._on_over = on_over
        # A queue whose `get` sleeps without polling; None ends the requests.
        self._outbox: queue.SimpleQueue[list[_Call] | None] = queue.SimpleQueue()
        self._rpc = open_rpc(self._messages())
        self._reader = threading.Thread(target=self._read, name="sqlenv-stream", daemon=True)
        try:
            self._reader.start()
        except BaseException:
            self._rpc.cancel()
            self._outbox.put(None)
            raise

    def send(self, calls: list[_Call]) -> None:
        """Takes calls, which are among the pending ones, to be sent."""
        self._outbox.put(calls)

    def close(self) -> None:
        """Breaks the stream, and waits for its reader for a moment."""
        self._rpc.cancel()
        self._reader.join(JOIN_S)

    def _messages(self) -> Iterator[bytes]:
        """The requests, for gRPC's thread, which comes for the next one when the last one has left."""
        waiting: deque[_Call] = deque()
        while True:
            try:
                # Those that came while the last message was on its way travel together, too.
                taken = self._outbox.get(block=not waiting)
            except queue.Empty:
                if message := self._next_message(waiting):
                    yield message
                continue
            if taken is None:
                return
            waiting.extend(taken)
            if len(waiting) >= CALL_COUNT_MAX and (message := self._next_message(waiting)):
                yield message

    def _next_message(self, waiting: deque[_Call]) -> bytes:
        """Takes the calls of one message off the queue; those that were given up meanwhile are dropped."""
        parts: list[bytes] = []
        size = 0
        while waiting and len(parts) < CALL_COUNT_MAX:
            call = waiting[0]
            if call.call_id in self._pending:
                if parts and size + len(call.encoded) > MESSAGE_BYTES_WANTED:
                    break
                size += len(call.encoded)
                parts.append(call.encoded)
                # A large text need not be kept until its reply is there.
                call.encoded = b""
            waiting.popleft()
        return b"".join(parts)

    def _read(self) -> None:
        """Hands replies to the loops that wait for them, until the stream is over."""
        try:
            for message in self._rpc:
                taken = ((self._pending.pop(reply.call_id, None), reply) for reply in message.replies)
                _hand_over((call, reply) for call, reply in taken if call is not None)
            failure = Failure("UNAVAILABLE", ErrorReason.UNSPECIFIED, "the stream has ended", of_stream=True)
        except grpc.RpcError:
            failure = status_of(self._rpc)
        except Exception as error:
            # A mistake of ours must not leave calls waiting for their deadlines.
            logger.exception("the stream can't be read")
            self._rpc.cancel()
            failure = Failure("INTERNAL", ErrorReason.UNSPECIFIED, f"it can't be read: {error!r}", of_stream=True)
        # gRPC's thread waits for the next request, and would for ever.
        self._outbox.put(None)
        self._on_over(self, failure)


def _hand_over(outcomes: Iterable[tuple[_Call, _Outcome]]) -> None:
    """Settles calls from another thread, waking each loop once."""
    by_lane: dict[_Lane, list[tuple[asyncio.Future[_Outcome], _Outcome]]] = {}
    for call, outcome in outcomes:
        by_lane.setdefault(call.lane, []).append((call.future, outcome))
    for lane, settled in by_lane.items():
        # The loop may be closed by then: nobody waits any more.
        with contextlib.suppress(RuntimeError):
            lane.loop.call_soon_threadsafe(_settle, settled)


def _settle(outcomes: Iterable[tuple[asyncio.Future[_Outcome], _Outcome]]) -> None:
    """Settles calls in their own loop."""
    for future, outcome in outcomes:
        if not future.done():
            future.set_result(outcome)


def _failure_of(reply: service_pb2.StreamedReply) -> Failure:
    """What a reply without a response says."""
    if not reply.HasField("failure"):
        return Failure("INTERNAL", ErrorReason.UNSPECIFIED, "the reply holds nothing that was asked for")
    failure = reply.failure
    try:
        reason = error_pb2.ErrorReason.Name(failure.reason).removeprefix("ERROR_REASON_")
    except ValueError:  # of a newer server
        reason = None
    return Failure(_CODES.get(failure.status_code, "UNKNOWN"), ErrorReason.parse(reason), failure.message)


def _too_large(size: int) -> Failure:
    """What gRPC says of a unary request of this size; here it would break the stream, and with it all other calls."""
    details = f"Sent message larger than max ({size} vs. {MESSAGE_BYTES_MAX})"
    return Failure("RESOURCE_EXHAUSTED", ErrorReason.UNSPECIFIED, details)
