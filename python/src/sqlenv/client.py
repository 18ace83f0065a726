"""The client: episodes, and the calls that need none."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import TypeVar

from sqlenv.addresses import parse_addresses, pool_of
from sqlenv.episode import Episode
from sqlenv.errors import SqlEnvError
from sqlenv.retry import Budget, Timing
from sqlenv.transport import GET_INFO, LIST_TASKS, RUN_SQL, SCORE, Method, call, check_transport, wire_text
from sqlenv.v1 import environment_service_pb2 as service_pb2
from sqlenv.v1 import episode_pb2, score_pb2, task_pb2

RequestT = TypeVar("RequestT")
ResponseT = TypeVar("ResponseT")

PAGE_SIZE = 500
"""Tasks a page: with prompts of a few kilobytes each a page stays under the 4 MB of a message."""


class Client:
    """Speaks to one server or several. Making one opens nothing; it can be pickled, and used on any event loop.

    `addresses`: `host:port`, several separated by commas, a list of them, or `dns:///name:port` for a name with several
    IP addresses, each a server. All servers must hold the same tasks and databases.

    `transport` says how the calls of episodes travel: `auto` (the default, or what the environment variable
    SQLENV_TRANSPORT says) puts them on one stream for each server that has `StreamSteps`, `stream` fails where there is
    none, `unary` makes each a call of its own. Only their cost differs. Raises ValueError for another one.
    """

    def __init__(
        self, addresses: str | Sequence[str], timing: Timing | None = None, transport: str | None = None
    ) -> None:
        self.addresses = parse_addresses(addresses)
        self.timing = timing or Timing()
        self.transport = check_transport(transport)

    def episode(
        self,
        task_id: str | None = None,
        *,
        inline_task: task_pb2.InlineTask | None = None,
        episode_id: str | None = None,
        limits: episode_pb2.Limits | None = None,
        observation: episode_pb2.ObservationOptions | None = None,
        mode: episode_pb2.EpisodeMode = episode_pb2.EPISODE_MODE_UNSPECIFIED,
        group_id: str = "",
        labels: Mapping[str, str] | None = None,
        prompt_style: task_pb2.PromptStyle = task_pb2.PROMPT_STYLE_UNSPECIFIED,
        on_malformed: episode_pb2.OnMalformed = episode_pb2.ON_MALFORMED_UNSPECIFIED,
        score: score_pb2.ScoreOptions | None = None,
        gold_sha256: str = "",
    ) -> Episode:
        """An episode of a task, not yet open: `async with client.episode("demo/radio_archive/01") as episode`.

        Exactly one of `task_id` and `inline_task` is given. `episode_id` is a random one by default. What is left out
        takes the server's default. Raises ValueError if not exactly one task is given.
        """
        if (task_id is None) == (inline_task is None):
            raise ValueError("exactly one of task_id and inline_task must be given")
        request = episode_pb2.ResetRequest(
            episode_id=episode_id or secrets.token_hex(16),
            task_id=task_id,
            inline_task=inline_task,
            limits=limits,
            observation=observation,
            mode=mode,
            group_id=wire_text(group_id),
            labels={wire_text(key): wire_text(value) for key, value in (labels or {}).items()},
            prompt_style=prompt_style,
            on_malformed=on_malformed,
            score=score,
            gold_sha256=gold_sha256,
        )
        return Episode(pool_of(self.addresses), self.timing, request, self.transport)

    async def info(self) -> service_pb2.GetInfoResponse:
        """What a server is, holds and allows. Raises SqlEnvError."""
        return await self._call(GET_INFO, service_pb2.GetInfoRequest(), self.timing.info_s)

    async def tasks(
        self,
        *,
        split: str = "",
        database_id: str = "",
        difficulty: str = "",
        include_gold: bool = False,
        include_messages: bool = False,
        prompt_style: task_pb2.PromptStyle = task_pb2.PROMPT_STYLE_UNSPECIFIED,
        page_size: int = PAGE_SIZE,
    ) -> AsyncIterator[task_pb2.Task]:
        """All tasks that fit the filters, in the server's order. `include_gold` is never for a model.

        Raises SqlEnvError.
        """
        request = service_pb2.ListTasksRequest(
            page_size=page_size,
            split=split,
            database_id=database_id,
            difficulty=difficulty,
            include_gold=include_gold,
            include_messages=include_messages,
            prompt_style=prompt_style,
        )
        while True:
            page = await self._call(LIST_TASKS, request, self.timing.info_s)
            for task in page.tasks:
                yield task
            if not page.next_page_token:
                return
            request.page_token = page.next_page_token

    async def score(
        self,
        task_id: str | None = None,
        *,
        inline_task: task_pb2.InlineTask | None = None,
        completion: str | None = None,
        sql: str | None = None,
        score: score_pb2.ScoreOptions | None = None,
        comparison_modes: Sequence[str] = (),
        gold_sha256: str = "",
    ) -> list[score_pb2.Grade]:
        """Scores an answer without an episode: model text (`completion`) or SQL as it is.

        Raises SqlEnvError, and ValueError if not exactly one task and one answer are given.
        """
        if (task_id is None) == (inline_task is None) or (completion is None) == (sql is None):
            raise ValueError("exactly one of task_id and inline_task, and one of completion and sql, must be given")
        request = service_pb2.ScoreRequest(
            task_id=task_id,
            inline_task=inline_task,
            completion=None if completion is None else wire_text(completion),
            sql=None if sql is None else wire_text(sql),
            score=score,
            comparison_modes=comparison_modes,
            gold_sha256=gold_sha256,
        )
        return list((await self._call(SCORE, request, self.timing.score_s)).grades)

    async def run_sql(
        self,
        database_id: str,
        *,
        query: str | None = None,
        arguments_json: str | None = None,
        observation: episode_pb2.ObservationOptions | None = None,
        limits: episode_pb2.Limits | None = None,
    ) -> service_pb2.RunSqlResponse:
        """Runs a query as the tool would, without an episode: SQL, or a tool call's arguments as JSON text.

        Raises SqlEnvError, and ValueError if not exactly one of the two is given.
        """
        if (query is None) == (arguments_json is None):
            raise ValueError("exactly one of query and arguments_json must be given")
        request = service_pb2.RunSqlRequest(
            database_id=database_id,
            query=None if query is None else wire_text(query),
            arguments_json=None if arguments_json is None else wire_text(arguments_json),
            observation=observation,
            limits=limits,
        )
        return await self._call(RUN_SQL, request, self.timing.step_s)

    async def _call(self, method: Method[RequestT, ResponseT], request: RequestT, attempt_s: float) -> ResponseT:
        """A call that any server can take, made again where that may help. Raises SqlEnvError."""
        pool = pool_of(self.addresses)
        budget = Budget(self.timing)
        avoid: frozenset[str] = frozenset()
        while True:
            try:
                server = await pool.choose(avoid)
                response = await call(server, method, request, budget.deadline_s(attempt_s))
                pool.answered(server)
                return response
            except SqlEnvError as error:
                if error.is_unreachable or error.is_timeout:
                    pool.lost(error.address)
                avoid = frozenset({error.address})
                pause_s = budget.pause_s(error, elsewhere=await pool.has_other(error.address))
                if pause_s is None:
                    raise
            await asyncio.sleep(pause_s)
