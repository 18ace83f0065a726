"""The standard batch in one Python process, without any server: sqlite3, json and a comparison of multisets.

usage: in_process.py TASKS.json. Plays a round for each line that it reads, and prints its seconds.
"""

from __future__ import annotations

import json
import sqlite3
import sys
import time
from collections import Counter

from batch_plan import Rollout, load


def observe(connection: sqlite3.Connection, sql: str) -> str:
    """What the model would read: the rows as JSON, shortened to 256 characters in the middle."""
    cursor = connection.execute(sql)
    columns = [column[0] for column in cursor.description]
    text = json.dumps({"columns": columns, "rows": cursor.fetchall()})
    return text if len(text) <= 256 else f"{text[:128]}...(truncated)...{text[-128:]}"


def play(rollouts: list[Rollout], connections: dict[str, sqlite3.Connection]) -> float:
    """Plays all rollouts, one after the other; seconds. Each gold is run once."""
    golds: dict[tuple[str, str], Counter[tuple[object, ...]]] = {}
    start = time.perf_counter()
    matched = 0
    for rollout in rollouts:
        connection = connections[rollout.file]
        for query in rollout.queries:
            observe(connection, query)
        key = (rollout.file, rollout.gold)
        if key not in golds:
            golds[key] = Counter(connection.execute(rollout.gold).fetchall())
        matched += Counter(connection.execute(rollout.answer).fetchall()) == golds[key]
    seconds = time.perf_counter() - start
    assert matched == len(rollouts), f"{matched} of {len(rollouts)} matched"
    return seconds


def main() -> None:
    path = sys.argv[1]
    files = {rollout.file for rollout in load(path, 1, "")}
    connections = {file: sqlite3.connect(f"file:{file}?mode=ro", uri=True) for file in files}
    for connection in connections.values():
        connection.text_factory = lambda data: data.decode("utf-8", "backslashreplace")
    play(load(path, 8, "warm"), connections)
    for index, _ in enumerate(sys.stdin):
        print(play(load(path, 8, str(index)), connections), flush=True)


if __name__ == "__main__":
    main()
