"""`SqlEnvAgentLoop`: verl's own tool loop, with an episode around it and the server's reward.

Registered through `rollout.agent.agent_loop_config_path`, a yaml list:

    - name: sqlenv
      _target_: sqlenv.verl.agent_loop.SqlEnvAgentLoop
      address: 127.0.0.1:50051

Only `run` is overridden, so parsing, masks, truncation, error texts and token ids stay verl's own, in each version. The
same source runs on verl 0.7.0 and later.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from verl.experimental.agent_loop.tool_agent_loop import ToolAgentLoop
from verl.tools.base_tool import BaseTool
from verl.tools.schemas import ToolResponse

from sqlenv.episode import Episode
from sqlenv.errors import SqlEnvError
from sqlenv.transport import wire_text
from sqlenv.v1 import episode_pb2, score_pb2
from sqlenv.verl.failure import UNAVAILABLE_TEXT, EnvAbort, check_choice, default_policy
from sqlenv.verl.options import SCORING_SCOPES, make_client, score_options
from sqlenv.verl.rows import EVAL_SPLITS, TaskChoice, task_of_row, without_none
from sqlenv.verl.tool import arguments_json, query_metrics
from sqlenv.verl.truncation import observation_options
from sqlenv.verl.turns import assistant_turns, invalid_call_count

logger = logging.getLogger(__name__)

T = TypeVar("T")

TOOL_NAME = "run_sql"

LIMITS = episode_pb2.Limits(step_count_max=1_000, invalid_call_count_max=1_000)
"""verl's own caps on turns end a trajectory; the server's must not come first."""

_LABELS = ("uid", "session_id", "global_steps", "index")
_LABEL_BYTES_MAX = 200

_TOOL_ERRORS = frozenset(
    {
        score_pb2.QUERY_STATUS_SQL_ERROR,
        score_pb2.QUERY_STATUS_FORBIDDEN,
        score_pb2.QUERY_STATUS_TIME_LIMIT,
        score_pb2.QUERY_STATUS_TOO_BIG,
    }
)


@dataclass
class Tally:
    """What one trajectory did with the environment."""

    tool_calls: int = 0
    tool_errors: int = 0
    invalid_calls: int = 0
    env_s: float = 0.0
    failure: SqlEnvError | None = None

    async def timed(self, call: Awaitable[T]) -> T:
        """Awaits a call and adds its seconds."""
        start = time.monotonic()
        try:
            return await call
        finally:
            self.env_s += time.monotonic() - start


class SqlEnvAgentLoop(ToolAgentLoop):
    """verl's `ToolAgentLoop` in an episode of a sqlenv server. verl makes one object for each trajectory.

    Keys of the yaml: `address` (text or list, needed); `scoring_scope`: `last_turn` (default) looks for the final
    answer in the model's last turn only, `transcript` in all its turns, where the last fence wins; `on_env_failure`:
    `raise` (the trajectory fails; verl's V1 trainer drops it from its group), `neutral` (the sample is kept with reward
    0 and a response mask of zeros, so that nothing is learned from it), or `auto` (default): `raise` under V1,
    `neutral` under V0, which would die of an exception; `comparison_mode` and `guard`, empty for the server's;
    `timing`, seconds by the names of `sqlenv.Timing`; `transport`, as `sqlenv.Client` takes it: `auto` (default),
    `stream` or `unary`.

    A request that is wrong in itself (an unknown task, a gold that differs) always raises.
    """

    tools: dict[str, Any]

    def __init__(
        self,
        *args: Any,
        name: str | None = None,
        address: Any = None,
        scoring_scope: str = "last_turn",
        on_env_failure: str = "auto",
        comparison_mode: str = "",
        guard: str = "",
        timing: Mapping[str, Any] | None = None,
        transport: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self._scoring_scope = check_choice("scoring_scope", scoring_scope, SCORING_SCOPES)
        policy = check_choice("on_env_failure", on_env_failure, ("auto", "raise", "neutral"))
        self._policy = default_policy(self.config) if policy == "auto" else policy
        self._score_options = score_options(scoring_scope, comparison_mode, guard)
        self._client = make_client(address, timing, transport)
        if TOOL_NAME not in self.tools:
            raise ValueError(
                f"verl has no tool {TOOL_NAME}, so the model would never be told of it: "
                "set rollout.multi_turn.tool_config_path to the tool yaml"
            )

    async def run(self, sampling_params: dict[str, Any], **kwargs: Any) -> Any:
        """Runs one trajectory and returns verl's `AgentLoopOutput` with `reward_score` set.

        `extra_fields["reward_extra_info"]` always has the same keys: `acc` (the reward), `env_tool_calls`,
        `env_tool_errors` (queries that failed), `env_invalid_calls` (calls that could not run), `env_verdict` (number
        of the proto's Verdict; 0 if there is none), `env_ms` (spent waiting for the environment), `env_failed`,
        `env_replays`. Raises SqlEnvError, and ValueError for a row that names no task.
        """
        episode = self._episode_of_row(kwargs)
        tally = Tally()
        self.tools = {**self.tools, TOOL_NAME: _EpisodeTool(self, self.tools[TOOL_NAME], episode, tally)}
        grade: score_pb2.Grade | None = None
        try:
            try:
                await tally.timed(episode.open())
            except SqlEnvError as error:
                self.fail(tally, error)
            # Arrow fills what other rows have with None, on which verl's own look-up of a tool's kwargs fails.
            tools_kwargs = without_none(kwargs.pop("tools_kwargs", None))
            output = await super().run(sampling_params, tools_kwargs=tools_kwargs, **kwargs)
            texts = await self._decode_turns(output)
            if tally.failure is None:
                try:
                    grade = await tally.timed(self._finish(episode, texts))
                except SqlEnvError as error:
                    self.fail(tally, error)
        except EnvAbort as abort:
            raise abort.error from None
        finally:
            # Cancelled or failed, the episode must give its place back.
            await asyncio.shield(asyncio.ensure_future(episode.close()))
        tally.invalid_calls += sum(invalid_call_count(text, self.tools.keys()) for text in texts)
        return self._rewarded(output, episode, tally, grade)

    def fail(self, tally: Tally, error: SqlEnvError) -> None:
        """Notes a failure of the environment and lets the trajectory end soon, or raises EnvAbort, by the policy."""
        if self._policy == "raise" or error.is_caller_fault:
            raise EnvAbort(error)
        if tally.failure is None:
            logger.error("a trajectory is neutralized, for the environment failed: %s", error)
        tally.failure = error
        # The next generation is the last: nothing that follows is learned from.
        self.max_assistant_turns = 1

    def _episode_of_row(self, row: Mapping[str, Any]) -> Episode:
        info = without_none(row.get("extra_info"))
        ground_truth = without_none(row.get("reward_model")).get("ground_truth")
        # An array of numpy's may stand for a list, and has no truth value.
        prompt = row.get("raw_prompt")
        task: TaskChoice = task_of_row(info, ground_truth, () if prompt is None else list(prompt))
        split = str(info.get("split", ""))
        labels = {name: str(row[name]) for name in _LABELS if row.get(name) is not None}
        if split:
            labels["split"] = split
        return self._client.episode(
            task.task_id,
            inline_task=task.inline_task,
            gold_sha256=task.gold_sha256,
            limits=LIMITS,
            observation=observation_options(self.max_tool_response_length, self.tool_response_truncate_side),
            mode=episode_pb2.EPISODE_MODE_EVAL if split in EVAL_SPLITS else episode_pb2.EPISODE_MODE_TRAIN,
            group_id=_label(str(row.get("uid") or "")),
            labels={name: _label(value) for name, value in labels.items()},
            score=self._score_options,
        )

    async def _decode_turns(self, output: Any) -> list[str]:
        """The text of each turn of the model, without special tokens."""
        turns = assistant_turns(output.response_ids, output.response_mask)

        def decode() -> list[str]:
            return [self.tokenizer.decode(turn, skip_special_tokens=True) for turn in turns]

        # Off the event loop, as verl decodes: 64 trajectories share it.
        return await asyncio.get_running_loop().run_in_executor(None, decode)

    async def _finish(self, episode: Episode, texts: list[str]) -> score_pb2.Grade:
        if episode.ended and episode.last_step is not None:
            return episode.last_step.grade
        text = "\n".join(texts) if self._scoring_scope == "transcript" else "".join(texts[-1:])
        return (await episode.finish(text)).grade

    def _rewarded(self, output: Any, episode: Episode, tally: Tally, grade: score_pb2.Grade | None) -> Any:
        failed = tally.failure is not None
        reward = 0.0 if failed or grade is None else float(grade.reward)
        if failed:
            output.response_mask = [0] * len(output.response_mask)
        output.reward_score = reward
        output.extra_fields["reward_extra_info"] = {
            "acc": reward,
            "env_tool_calls": tally.tool_calls,
            "env_tool_errors": tally.tool_errors,
            "env_invalid_calls": tally.invalid_calls,
            "env_verdict": 0 if failed or grade is None else int(grade.verdict),
            "env_ms": round(tally.env_s * 1000, 3),
            "env_failed": int(failed),
            "env_replays": episode.replay_count,
        }
        return output


class _EpisodeTool(BaseTool):
    """The tool of one trajectory, bound to its episode."""

    def __init__(self, loop: SqlEnvAgentLoop, tool: Any, episode: Episode, tally: Tally) -> None:
        # Not the base class's constructor: it prints the schema, 512 times a training step.
        self.config = getattr(tool, "config", {})
        self.tool_schema = tool.tool_schema
        self.name = tool.name
        self._loop = loop
        self._episode = episode
        self._tally = tally

    async def create(self, instance_id: str | None = None, **kwargs: Any) -> tuple[str, ToolResponse]:
        """Does nothing: the episode is open. verl skips `release` for an empty id, so it gets one."""
        return instance_id or self._episode.episode_id, ToolResponse()

    async def execute(
        self, instance_id: str, parameters: Any, **kwargs: Any
    ) -> tuple[ToolResponse, float, dict[str, Any]]:
        """Takes a step with one call. Raises EnvAbort if the environment failed and the policy is `raise`."""
        tally = self._tally
        if tally.failure is None:
            try:
                call = self._episode.call_tool(TOOL_NAME, arguments_json(parameters))
                return self._answer(await tally.timed(call))
            except SqlEnvError as error:
                self._loop.fail(tally, error)
        return ToolResponse(text=UNAVAILABLE_TEXT), 0.0, {"env_failed": 1}

    async def release(self, instance_id: str, **kwargs: Any) -> None:
        """Does nothing: the loop closes the episode."""

    def _answer(self, response: episode_pb2.StepResponse) -> tuple[ToolResponse, float, dict[str, Any]]:
        tally, query = self._tally, response.queries[0]
        tally.tool_calls += 1
        tally.tool_errors += query.status in _TOOL_ERRORS
        tally.invalid_calls += query.status == score_pb2.QUERY_STATUS_INVALID_ARGUMENTS
        return ToolResponse(text=response.messages[0].content), 0.0, query_metrics(query)


def _label(text: str) -> str:
    return wire_text(text).encode()[:_LABEL_BYTES_MAX].decode(errors="ignore")
