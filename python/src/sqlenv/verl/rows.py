"""What a row of a verl data set says about its task.

A row that `sqlenv.verl.dataset` writes has, in `extra_info`, `env: {task_id, database_id, gold_sha256}` for the agent
loop and `tools_kwargs: {run_sql: {create_kwargs: {database_id}}}` for the tool. Rows written by others may leave out
the task's id: then the question and the gold SQL of the row itself are sent along.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from sqlenv.transport import wire_text
from sqlenv.v1 import task_pb2

EVAL_SPLITS = frozenset({"dev", "eval", "test", "val", "validation"})


@dataclass(frozen=True)
class TaskChoice:
    """The task of a row: its id on the server, or the task itself. `gold_sha256` is empty if the row has none."""

    task_id: str | None
    inline_task: task_pb2.InlineTask | None
    gold_sha256: str = ""


def task_of_row(
    extra_info: Mapping[str, Any] | None,
    ground_truth: str | None,
    prompt: Sequence[Mapping[str, Any]] = (),
) -> TaskChoice:
    """The task of a row. Raises ValueError that says which fields are missing.

    `prompt` is the row's messages; the last one of the user is taken as the question of an inline task.
    """
    info = without_none(extra_info)
    env = without_none(info.get("env"))
    task_id = env.get("task_id")
    if task_id:
        return TaskChoice(str(task_id), None, str(env.get("gold_sha256", "")))
    database_id = str(env.get("database_id", "")) or database_of_kwargs(create_kwargs_of(info.get("tools_kwargs")))
    if not database_id or not ground_truth:
        raise ValueError(
            "the row names no task: extra_info.env.task_id is needed, or a database (extra_info.env.database_id) "
            f"with the gold SQL in reward_model.ground_truth; extra_info has {sorted(info)}, env has {sorted(env)}"
        )
    questions = [str(message.get("content")) for message in prompt if message.get("role") == "user"]
    inline = task_pb2.InlineTask(
        task_id=str(info.get("index", "")),
        database_id=database_id,
        question=wire_text(questions[-1] if questions else "unknown"),
        gold_sql=wire_text(ground_truth),
    )
    return TaskChoice(None, inline)


def create_kwargs_of(tools_kwargs: Any, tool_name: str = "run_sql") -> dict[str, Any]:
    """The `create_kwargs` of a tool. Arrow fills what a row leaves out with None, which is taken as absent."""
    return without_none(without_none(without_none(tools_kwargs).get(tool_name)).get("create_kwargs"))


def database_of_kwargs(create_kwargs: Mapping[str, Any]) -> str:
    """The database's id: `database_id`, or the file name of a `db_path`; empty if there is neither."""
    database_id = create_kwargs.get("database_id") or create_kwargs.get("db_id")
    if database_id:
        return str(database_id)
    path = create_kwargs.get("db_path")
    return PurePath(str(path)).stem if path else ""


def without_none(mapping: Any) -> dict[str, Any]:
    """A copy of a mapping without the keys whose value is None; empty for None and for what is no mapping."""
    if not isinstance(mapping, Mapping):
        return {}
    return {str(key): value for key, value in mapping.items() if value is not None}
