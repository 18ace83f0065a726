"""`RunSqlTool`: verl's tool `run_sql`, answered by a sqlenv server. For rows of verl's stock `tool_agent` loop.

It is stateless: each call sends the database and the query. verl has no hook for the end of a trajectory, so there is
no episode here; the reward comes from `sqlenv.verl.reward.compute_score`. Where the loop can be chosen, take
`SqlEnvAgentLoop`: there the server sees whole episodes, and failures are told apart from mistakes.
"""

from __future__ import annotations

import json
import logging
import uuid
from typing import Any

from verl.tools.base_tool import BaseTool
from verl.tools.schemas import ToolResponse

from sqlenv.errors import SqlEnvError
from sqlenv.v1 import score_pb2
from sqlenv.verl.failure import UNAVAILABLE_TEXT, EnvAbort, check_choice
from sqlenv.verl.options import make_client
from sqlenv.verl.rows import create_kwargs_of, database_of_kwargs, without_none
from sqlenv.verl.truncation import observation_options

logger = logging.getLogger(__name__)

FAILURE_COUNT_MAX = 8
"""Failures in a row, in one process, after which trajectories are ended instead of told: the server is gone."""

_failure_counts: dict[str, int] = {}
"""Failures in a row by address. Of the process, for verl 0.7 makes a tool anew for each trajectory."""


class RunSqlTool(BaseTool):
    """verl's tool over `RunSql`. Made by verl from the tool yaml; making it opens nothing and needs no server.

    Keys of the yaml's `config`: `address` (text or list; needed when the tool runs, not when a loop only reads its
    schema), `timing`, `on_env_failure` (`text`: the model reads a fixed text; `raise`: the trajectory ends),
    `max_tool_response_length` (default 256) and `tool_response_truncate_side` (default middle), as in
    `rollout.multi_turn`, and `failure_count_max`.
    """

    def __init__(self, config: dict[str, Any], tool_schema: Any) -> None:
        super().__init__(config, tool_schema)
        settings = without_none(config)
        self._address = settings.get("address")
        self._timing = settings.get("timing")
        self._on_env_failure = check_choice(
            "on_env_failure", str(settings.get("on_env_failure", "text")), ("text", "raise")
        )
        self._observation = observation_options(
            int(settings.get("max_tool_response_length", 256)),
            str(settings.get("tool_response_truncate_side", "middle")),
        )
        self._failure_count_max = int(settings.get("failure_count_max", FAILURE_COUNT_MAX))
        self._databases: dict[str, str] = {}

    async def create(self, instance_id: str | None = None, **kwargs: Any) -> tuple[str, ToolResponse]:
        """Notes the database of one call; verl creates, executes and releases for each. No call is made."""
        created = instance_id or uuid.uuid4().hex
        self._databases[created] = database_of_kwargs(without_none(kwargs.get("create_kwargs")))
        return created, ToolResponse()

    async def execute(
        self, instance_id: str, parameters: Any, **kwargs: Any
    ) -> tuple[ToolResponse, float, dict[str, Any]]:
        """Runs one call. `parameters` may be whatever the model gave: an object, a string, a list, None.

        A mistake of the model is text. Raises ValueError if the row names no database, and EnvAbort.
        """
        database_id = self._databases.get(instance_id) or self._database_of(kwargs.get("agent_data"))
        if not database_id:
            raise ValueError("the row names no database: extra_info.tools_kwargs.run_sql.create_kwargs.database_id")
        client = make_client(self._address, self._timing)
        try:
            response = await client.run_sql(
                database_id, arguments_json=arguments_json(parameters), observation=self._observation
            )
        except SqlEnvError as error:
            return self._failed(error)
        _failure_counts.pop(str(self._address), None)
        return ToolResponse(text=response.message.content), 0.0, query_metrics(response.query)

    async def release(self, instance_id: str, **kwargs: Any) -> None:
        """Forgets the call. Never raises: verl would lose the trajectory."""
        self._databases.pop(instance_id, None)

    def _database_of(self, agent_data: Any) -> str:
        return database_of_kwargs(create_kwargs_of(getattr(agent_data, "tools_kwargs", None), self.name))

    def _failed(self, error: SqlEnvError) -> tuple[ToolResponse, float, dict[str, Any]]:
        failure_count = _failure_counts.get(str(self._address), 0) + 1
        _failure_counts[str(self._address)] = failure_count
        logger.error("run_sql failed, %d in a row: %s", failure_count, error)
        if self._on_env_failure == "raise" or error.is_caller_fault or failure_count >= self._failure_count_max:
            raise EnvAbort(error) from error
        return ToolResponse(text=UNAVAILABLE_TEXT), 0.0, {"env_failed": 1}


def arguments_json(parameters: Any) -> str:
    """A call's arguments as JSON text, whatever they are; verl has parsed them once. Lone surrogates stay escapes."""
    given = without_none(parameters) if isinstance(parameters, dict) else parameters
    return json.dumps(given, default=str)


def query_metrics(query: score_pb2.QueryInfo) -> dict[str, Any]:
    """What verl gets beside the text: status by number, microseconds of the query and of its wait."""
    return {"query_status": int(query.status), "query_us": query.query_us, "queue_us": query.queue_us}
