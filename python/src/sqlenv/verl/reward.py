"""`compute_score`: the reward for rows of verl's stock `tool_agent` loop.

    reward.custom_reward_function.path=pkg://sqlenv.verl.reward
    reward.custom_reward_function.name=compute_score
    +reward.custom_reward_function.reward_kwargs.address=127.0.0.1:50051

(verl 0.7.0: without `reward.` in front.)
"""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from typing import Any

from sqlenv.errors import SqlEnvError
from sqlenv.verl.failure import UNAVAILABLE_TEXT, check_choice
from sqlenv.verl.options import SCORING_SCOPES, make_client, score_options
from sqlenv.verl.rows import task_of_row
from sqlenv.verl.turns import last_turn

logger = logging.getLogger(__name__)

_UNREACHED = f"<tool_response>\n{UNAVAILABLE_TEXT}\n</tool_response>"


async def compute_score(
    data_source: str,
    solution_str: str,
    ground_truth: str,
    extra_info: Mapping[str, Any] | None = None,
    *,
    address: Any = None,
    scoring_scope: str = "last_turn",
    on_env_failure: str = "raise",
    comparison_mode: str = "",
    guard: str = "",
    timing: Mapping[str, Any] | None = None,
    **kwargs: Any,
) -> dict[str, Any]:
    """Scores one trajectory: `{score, acc, env_verdict, env_ms, env_failed}`, the same keys always.

    `solution_str` is verl's: all tokens of the response, observations too. With `scoring_scope: last_turn` only what
    follows the last observation is searched for the answer; `transcript` searches all, so a fence in an observation or
    an earlier turn can count. A failure of the environment raises SqlEnvError, for a 0 would be learned from;
    `on_env_failure: neutral` gives 0 with `env_failed` 1 instead. A trajectory whose tool could not be reached is not
    scored under either policy: it gets 0 with `env_failed` 1, for its answer was given blindly. Raises ValueError for a
    row that names no task.
    """
    check_choice("scoring_scope", scoring_scope, SCORING_SCOPES)
    check_choice("on_env_failure", on_env_failure, ("raise", "neutral"))
    client = make_client(address, timing)
    task = task_of_row(extra_info, ground_truth)
    start = time.monotonic()
    if _UNREACHED in solution_str:
        logger.error("a sample gets a neutral reward, for its tool could not reach the environment")
        return {"score": 0.0, "acc": 0.0, "env_verdict": 0, "env_ms": 0.0, "env_failed": 1}
    try:
        grades = await client.score(
            task.task_id,
            inline_task=task.inline_task,
            gold_sha256=task.gold_sha256,
            completion=last_turn(solution_str) if scoring_scope == "last_turn" else solution_str,
            score=score_options(scoring_scope, comparison_mode, guard),
        )
    except SqlEnvError as error:
        if on_env_failure == "raise" or error.is_caller_fault:
            raise
        logger.error("a sample gets a neutral reward, for the environment failed: %s", error)
        reward, verdict, failed = 0.0, 0, 1
    else:
        reward, verdict, failed = grades[0].reward, int(grades[0].verdict), 0
    env_ms = round((time.monotonic() - start) * 1000, 3)
    return {"score": reward, "acc": reward, "env_verdict": verdict, "env_ms": env_ms, "env_failed": failed}
