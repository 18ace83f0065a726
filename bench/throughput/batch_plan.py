"""The standard batch: what each rollout of each task says."""

from __future__ import annotations

import json
from typing import NamedTuple


class Rollout(NamedTuple):
    """One episode: its task, the queries of its tool calls, and its answer."""

    task_id: str
    file: str
    queries: tuple[str, str]
    answer: str
    gold: str


def load(path: str, rollout_count: int, salt: str) -> list[Rollout]:
    """Rollouts of the tasks in a JSON file. Of eight, six run a query that a sibling runs; `salt` makes all queries new."""
    with open(path, encoding="utf-8") as file:
        tasks = json.load(file)
    return [
        Rollout(
            task["taskId"],
            task["file"],
            (f"{task['goldSql']} -- {salt} 0 {index % 2}", f"{task['goldSql']} -- {salt} 1 {index % 2}"),
            task["goldSql"],
            task["goldSql"],
        )
        for task in tasks
        for index in range(rollout_count)
    ]
