"""The same client for code without an event loop: scripts, notebooks, reward functions that are not async."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Coroutine, Iterator, Sequence
from types import TracebackType
from typing import Any, TypeVar

from sqlenv.client import Client
from sqlenv.episode import Episode
from sqlenv.retry import Timing
from sqlenv.v1 import environment_service_pb2 as service_pb2
from sqlenv.v1 import episode_pb2, score_pb2, task_pb2

T = TypeVar("T")


class SyncClient:
    """As `Client`, but each call blocks its thread until the answer is there. It may be used inside a running loop.

    Methods take the arguments of `Client`'s methods of the same name, and raise the same errors.
    """

    def __init__(
        self, addresses: str | Sequence[str], timing: Timing | None = None, transport: str | None = None
    ) -> None:
        self.client = Client(addresses, timing, transport)

    def episode(self, task_id: str | None = None, **options: Any) -> SyncEpisode:
        """As `Client.episode`; used with `with`."""
        return SyncEpisode(self.client.episode(task_id, **options))

    def info(self) -> service_pb2.GetInfoResponse:
        """As `Client.info`."""
        return run(self.client.info())

    def tasks(self, **options: Any) -> Iterator[task_pb2.Task]:
        """As `Client.tasks`, all at once."""

        async def collect() -> list[task_pb2.Task]:
            return [task async for task in self.client.tasks(**options)]

        return iter(run(collect()))

    def score(self, task_id: str | None = None, **options: Any) -> list[score_pb2.Grade]:
        """As `Client.score`."""
        return run(self.client.score(task_id, **options))

    def run_sql(self, database_id: str, **options: Any) -> service_pb2.RunSqlResponse:
        """As `Client.run_sql`."""
        return run(self.client.run_sql(database_id, **options))


class SyncEpisode:
    """As `Episode`, blocking."""

    def __init__(self, episode: Episode) -> None:
        self.episode = episode

    def step_text(self, text: str, completion_token_count: int = 0) -> episode_pb2.StepResponse:
        """As `Episode.step_text`."""
        return run(self.episode.step_text(text, completion_token_count))

    def call_tool(self, name: str, arguments_json: str, completion_token_count: int = 0) -> episode_pb2.StepResponse:
        """As `Episode.call_tool`."""
        return run(self.episode.call_tool(name, arguments_json, completion_token_count))

    def finish(self, text: str, completion_token_count: int = 0) -> episode_pb2.StepResponse:
        """As `Episode.finish`."""
        return run(self.episode.finish(text, completion_token_count))

    def __enter__(self) -> SyncEpisode:
        run(self.episode.open())
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        run(self.episode.close())


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """Runs a coroutine of this package on the loop that this process keeps for it, and waits."""
    return asyncio.run_coroutine_threadsafe(coroutine, _loop()).result()


_state: dict[int, asyncio.AbstractEventLoop] = {}
_state_lock = threading.Lock()


def _loop() -> asyncio.AbstractEventLoop:
    """The loop of this process, in a thread of its own; a forked child gets a new one."""
    with _state_lock:
        loop = _state.get(os.getpid())
        if loop is None:
            loop = _state[os.getpid()] = asyncio.new_event_loop()
            threading.Thread(target=loop.run_forever, name="sqlenv-loop", daemon=True).start()
        return loop


def _after_fork_in_child() -> None:
    global _state_lock
    _state_lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)
