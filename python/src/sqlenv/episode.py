"""An episode that survives the loss of its server."""

from __future__ import annotations

import asyncio
import logging
from types import TracebackType

from sqlenv.addresses import ServerPool
from sqlenv.errors import ErrorReason, SqlEnvError
from sqlenv.retry import Budget, Timing
from sqlenv.transport import CLOSE, RESET, STEP, Transport, call, wire_text
from sqlenv.v1 import environment_service_pb2 as service_pb2
from sqlenv.v1 import episode_pb2

logger = logging.getLogger(__name__)

_GONE = frozenset({ErrorReason.EPISODE_NOT_FOUND, ErrorReason.EPISODE_ENDED})


class Episode:
    """One attempt at a task: `async with client.episode(...) as episode`, then steps until a response says it is over.

    It is pinned to one server. If that server is lost (unreachable, or restarted and without memory of the episode),
    the episode is opened anew on a live one and its recorded actions are replayed; the observations must be the same
    bytes, else the step fails with REPLAY_MISMATCH. What is left on the lost server ends with its lease.

    Steps that are asked for at the same time are taken one after the other, in the order of asking. An object belongs
    to one event loop.
    """

    def __init__(
        self, pool: ServerPool, timing: Timing, request: episode_pb2.ResetRequest, transport: Transport = "auto"
    ) -> None:
        self._pool = pool
        self._transport: Transport = transport
        self._timing = timing
        self._request = request
        self._server: str | None = None
        self._tried: str | None = None  # where it was last being opened, if that did not come to its end
        self._avoid: frozenset[str] = frozenset()
        self._placement_count = 0
        self._opened: episode_pb2.ResetResponse | None = None
        self._steps: list[tuple[episode_pb2.StepRequest, episode_pb2.StepResponse]] = []
        self._cut_off: episode_pb2.StepRequest | None = None  # a step of which it is not known whether it was taken
        self._ended = False
        self._lock = asyncio.Lock()

    @property
    def episode_id(self) -> str:
        """The id on the server where it is now; a replay takes a new one."""
        base = self._request.episode_id
        return base if self._placement_count == 0 else f"{base}~{self._placement_count}"

    @property
    def server(self) -> str | None:
        """The address that it is pinned to; None before it is opened and after its server was lost."""
        return self._server

    @property
    def replay_count(self) -> int:
        """How often it was opened anew and replayed."""
        return self._placement_count

    @property
    def opened(self) -> episode_pb2.ResetResponse:
        """What Reset answered: task, prompt, tool schema, limits. Raises RuntimeError before the episode is open."""
        if self._opened is None:
            raise RuntimeError("the episode is not open")
        return self._opened

    @property
    def last_step(self) -> episode_pb2.StepResponse | None:
        """The response to the last step, or None before the first."""
        return self._steps[-1][1] if self._steps else None

    @property
    def ended(self) -> bool:
        """True once a step was answered with terminated or truncated, or the episode was closed."""
        return self._ended

    async def open(self) -> episode_pb2.ResetResponse:
        """Opens the episode; a second call returns the same response. Raises SqlEnvError."""
        async with self._lock:
            budget = Budget(self._timing)
            while self._opened is None:
                try:
                    await self._place(budget)
                except SqlEnvError as error:
                    await self._recover(error, budget)
            return self._opened

    async def step_text(self, text: str, completion_token_count: int = 0) -> episode_pb2.StepResponse:
        """Takes a whole turn of the model; the server finds the tool calls in it. Raises SqlEnvError."""
        request = episode_pb2.StepRequest(assistant_text=wire_text(text), completion_token_count=completion_token_count)
        return await self._step(request, self._timing.finish_s)

    async def call_tool(
        self, name: str, arguments_json: str, completion_token_count: int = 0
    ) -> episode_pb2.StepResponse:
        """Takes one tool call that the caller has parsed; the arguments are JSON text. Raises SqlEnvError."""
        tool_call = episode_pb2.ToolCall(name=wire_text(name), arguments_json=wire_text(arguments_json))
        request = episode_pb2.StepRequest(tool_call=tool_call, completion_token_count=completion_token_count)
        return await self._step(request, self._timing.step_s)

    async def finish(self, text: str, completion_token_count: int = 0) -> episode_pb2.StepResponse:
        """Ends the episode with the text that holds the final answer; the response has the grade.

        Raises SqlEnvError.
        """
        request = episode_pb2.StepRequest(final_text=wire_text(text), completion_token_count=completion_token_count)
        return await self._step(request, self._timing.finish_s)

    async def close(self) -> None:
        """Ends the episode early if it has not ended. Never raises: the server's lease is the real guarantee."""
        # A server may have opened it although we never heard so: the id is ours, so it can be closed all the same.
        server, ended = self._server or self._tried, self._ended
        self._tried = None
        self._ended = True
        self._leave()
        if server is not None and not ended:
            await self._close_at(server, self.episode_id)

    async def __aenter__(self) -> Episode:
        try:
            await self.open()
        except BaseException:
            await asyncio.shield(asyncio.ensure_future(self.close()))
            raise
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        # A cancelled trajectory must give its place back, too.
        if not self._ended:
            await asyncio.shield(asyncio.ensure_future(self.close()))

    async def _step(self, request: episode_pb2.StepRequest, attempt_s: float) -> episode_pb2.StepResponse:
        async with self._lock:
            if self._opened is None or self._ended:
                raise RuntimeError("the episode is not open")
            budget = Budget(self._timing)
            request.step_index = len(self._steps)
            request.episode_id = self.episode_id
            if self._cut_off is not None and self._cut_off != request:
                await self._start_over()
            while True:
                if self._ended:
                    raise RuntimeError("the episode was closed in mid-step")
                try:
                    if self._server is None:
                        await self._place(budget)
                    assert self._server is not None
                    self._cut_off = request
                    response = await self._send(self._server, request, budget.deadline_s(attempt_s))
                    break
                except SqlEnvError as error:
                    if not (error.is_timeout or error.is_unreachable):
                        self._cut_off = None
                    await self._recover(error, budget)
            self._cut_off = None
            self._steps.append((request, response))
            if response.terminated or response.truncated:
                self._ended = True
                self._leave()
            return response

    async def _start_over(self) -> None:
        """Gives the episode up where it is: a step was cut off there, may have been taken, and is not wanted any more.

        It is replayed on the next step. The same step again needs none of that: the server repeats its response.
        """
        server, episode_id = self._server, self.episode_id
        self._cut_off = None
        self._leave()
        if not self._steps:
            self._placement_count += 1
        if server is not None:
            await self._close_at(server, episode_id)

    async def _close_at(self, server: str, episode_id: str) -> None:
        request = service_pb2.CloseRequest(episode_id=episode_id)
        try:
            await call(server, CLOSE, request, self._timing.close_s, self._transport)
        except SqlEnvError as error:
            logger.debug("episode %s stays open until its lease ends: %s", episode_id, error)

    async def _send(self, server: str, request: episode_pb2.StepRequest, deadline_s: float) -> episode_pb2.StepResponse:
        request.episode_id = self.episode_id
        response = await call(server, STEP, request, deadline_s, self._transport)
        self._pool.answered(server)
        return response

    async def _place(self, budget: Budget) -> None:
        """Opens the episode on a server and replays what has been done. Raises SqlEnvError."""
        server = await self._pool.choose(self._avoid)
        if self._steps:
            # A placement that failed halfway may have left the episode of its id behind, some steps in.
            self._placement_count += 1
            logger.info("episode %s is replayed at %s, steps: %d", self.episode_id, server, len(self._steps))
        self._pool.enter(server)
        self._tried = server
        try:
            opened = await self._reset(server, budget)
            for step, before in self._steps:
                after = await self._send(server, step, budget.deadline_s(self._timing.step_s))
                if _observation(after) != _observation(before):
                    raise _mismatch(f"step {step.step_index} gives another observation", server)
        except BaseException:
            self._pool.leave(server)
            raise
        self._opened = self._opened or opened
        self._server = server
        self._tried = None
        self._cut_off = None
        self._avoid = frozenset()

    async def _reset(self, server: str, budget: Budget) -> episode_pb2.ResetResponse:
        request = self._request
        if self._placement_count > 0:
            request = episode_pb2.ResetRequest()
            request.CopyFrom(self._request)
            request.episode_id = self.episode_id
        opened = await call(server, RESET, request, budget.deadline_s(self._timing.reset_s), self._transport)
        self._pool.answered(server)
        if self._opened is not None and _fingerprint(opened) != _fingerprint(self._opened):
            raise _mismatch("Reset gives another prompt or other settings", server)
        return opened

    async def _recover(self, error: SqlEnvError, budget: Budget) -> None:
        """Decides what follows a failed attempt: waits, lets go of the server, or raises the error."""
        gone = error.reason in _GONE
        unreachable = not gone and (error.is_unreachable or error.is_timeout)
        if unreachable:
            self._pool.lost(error.address)
        # While the episode is being placed any server will do; once placed it only leaves one that does not answer.
        may_move = not gone and (unreachable or (error.is_overload and self._server is None))
        moving = may_move and await self._pool.has_other(error.address)
        # A server that has forgotten the episode restarted, or its lease was shorter than our silence: it is as lost.
        pause_s = budget.short_pause_s() if gone else budget.pause_s(error, elsewhere=moving)
        if pause_s is None:
            raise error
        if gone or moving:
            self._leave()
        if moving:
            self._avoid = frozenset({error.address})
        await asyncio.sleep(pause_s)

    def _leave(self) -> None:
        if self._server is not None:
            self._pool.leave(self._server)
            self._server = None


def _mismatch(what: str, server: str) -> SqlEnvError:
    details = f"{what} than before the server was lost"
    return SqlEnvError("FAILED_PRECONDITION", ErrorReason.REPLAY_MISMATCH, details, "replay", server)


def _observation(response: episode_pb2.StepResponse) -> list[tuple[str, str]]:
    """All that the model reads."""
    return [(message.role, message.content) for message in response.messages]


def _fingerprint(opened: episode_pb2.ResetResponse) -> bytes:
    """What must not change when an episode is opened anew: all but its id and lease."""
    copy = episode_pb2.ResetResponse()
    copy.CopyFrom(opened)
    copy.ClearField("episode_id")
    copy.ClearField("lease_ms")
    return copy.SerializeToString(deterministic=True)
