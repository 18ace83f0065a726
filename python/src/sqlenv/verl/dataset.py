"""Writes verl data sets (parquet) from the tasks of a server, or of a file with its databases.

    python -m sqlenv.verl.dataset 127.0.0.1:50051 --out data            # data/train.parquet, data/dev.parquet, ...
    python -m sqlenv.verl.dataset --tasks tasks.jsonl --databases databases --out data

One file serves both ways of connecting: `agent_name` and `extra_info.env` are for `SqlEnvAgentLoop`,
`extra_info.tools_kwargs` and `reward_model` for the stock `tool_agent` loop with `RunSqlTool` and `compute_score`
(set `--agent-name tool_agent`). The gold SQL is in `reward_model.ground_truth`, which verl never shows to the model.

The schema is given to Arrow, not inferred: Arrow fills the keys that a row lacks with None and can't write empty
structs, so every row has every key.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import hashlib
import json
import sqlite3
import sys
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from sqlenv.client import Client
from sqlenv.errors import SqlEnvError
from sqlenv.v1 import task_pb2

AGENT_NAME = "sqlenv"
"""The name of the loop in the example's `agent_loop.yaml`. Without one verl runs no tool and says nothing."""

DATA_SOURCE = "sqlenv"
ABILITY = "text_to_sql"

Row = dict[str, Any]

SYSTEM_TEXT = (
    "You are a SQL assistant for a SQLite database with this schema:\n{schema}\n"
    "You may call the tool run_sql(query) to execute a SQL query and inspect results. When you are done, give your "
    "final answer as a single SQL query inside a ```sql code block."
)
"""The server's prompt of style `ddl`, for tasks of a file; a test compares the two."""


def make_row(task: task_pb2.Task, index: int, *, agent_name: str = AGENT_NAME, data_source: str = DATA_SOURCE) -> Row:
    """One row, from a task with gold and messages. `index` is unique in its file."""
    return {
        "data_source": data_source,
        "agent_name": agent_name,
        "ability": ABILITY,
        "prompt": [{"role": message.role, "content": message.content} for message in task.messages],
        "reward_model": {"style": "rule", "ground_truth": task.gold_sql},
        "extra_info": {
            "split": task.split,
            "index": index,
            "difficulty": task.difficulty,
            "need_tools_kwargs": True,
            "tools_kwargs": {"run_sql": {"create_kwargs": {"database_id": task.database_id}}},
            "env": {"task_id": task.task_id, "database_id": task.database_id, "gold_sha256": task.gold_sha256},
        },
    }


def arrow_schema() -> Any:
    """The columns of a file, for pyarrow."""
    import pyarrow as pa

    text = pa.string()
    message = pa.struct([("role", text), ("content", text)])
    tools_kwargs = pa.struct([("run_sql", pa.struct([("create_kwargs", pa.struct([("database_id", text)]))]))])
    env = pa.struct([("task_id", text), ("database_id", text), ("gold_sha256", text)])
    extra_info = pa.struct(
        [
            ("split", text),
            ("index", pa.int64()),
            ("difficulty", text),
            ("need_tools_kwargs", pa.bool_()),
            ("tools_kwargs", tools_kwargs),
            ("env", env),
        ]
    )
    return pa.schema(
        [
            ("data_source", text),
            ("agent_name", text),
            ("ability", text),
            ("prompt", pa.list_(pa.field("element", message))),
            ("reward_model", pa.struct([("style", text), ("ground_truth", text)])),
            ("extra_info", extra_info),
        ]
    )


def write_parquet(rows: Iterable[Row], path: Path) -> int:
    """Writes rows to a file and returns their number. Raises ImportError without pyarrow (the extra `data`)."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.Table.from_pylist(list(rows), schema=arrow_schema())
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(table, path)
    return int(table.num_rows)


def write_splits(tasks: Iterable[task_pb2.Task], out: Path, **names: str) -> dict[Path, int]:
    """Writes one file a split, `OUT/SPLIT.parquet` (`tasks.parquet` without one); returns the rows of each."""
    splits: defaultdict[str, list[Row]] = defaultdict(list)
    for task in tasks:
        rows = splits[task.split or "tasks"]
        rows.append(make_row(task, len(rows), **names))
    return {path: write_parquet(rows, path) for split, rows in splits.items() for path in [out / f"{split}.parquet"]}


async def tasks_of_server(client: Client, split: str = "") -> AsyncIterator[task_pb2.Task]:
    """The tasks of a server, with gold and prompts. Raises SqlEnvError."""
    async for task in client.tasks(split=split, include_gold=True, include_messages=True, page_size=100):
        yield task


def tasks_of_file(tasks_file: Path, databases: Path, split: str = "") -> Iterator[task_pb2.Task]:
    """The tasks of a JSONL file, with the prompt of style `ddl`, made from the databases' schemas.

    A line has `task_id`, `database_id`, `question`, `gold_sql`, and may have `split` and `difficulty`.
    Raises ValueError.
    """
    schemas: dict[str, str] = {}
    for number, line in enumerate(tasks_file.read_text(encoding="utf-8").splitlines(), start=1):
        if not line.strip():
            continue
        try:
            fields = json.loads(line)
            database_id, question, gold_sql = fields["database_id"], fields["question"], fields["gold_sql"]
            task_id = fields["task_id"]
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{tasks_file}, line {number}: {error!r}") from error
        if split and fields.get("split") != split:
            continue
        if database_id not in schemas:
            schemas[database_id] = read_schema(database_file(databases, database_id))
        system = SYSTEM_TEXT.replace("{schema}", schemas[database_id])
        yield task_pb2.Task(
            task_id=task_id,
            database_id=database_id,
            question=question,
            split=fields.get("split", ""),
            difficulty=fields.get("difficulty", ""),
            gold_sql=gold_sql,
            gold_sha256=hashlib.sha256(gold_sql.encode()).hexdigest(),
            messages=[
                task_pb2.Message(role="system", content=system),
                task_pb2.Message(role="user", content=question),
            ],
        )


def database_file(databases: Path, database_id: str) -> Path:
    """`DIR/ID/ID.sqlite`, or `DIR/ID.sqlite`. Raises ValueError if neither is there."""
    for path in (databases / database_id / f"{database_id}.sqlite", databases / f"{database_id}.sqlite"):
        if path.is_file():
            return path
    raise ValueError(f"there is no database {database_id} in {databases}")


def read_schema(path: Path) -> str:
    """The `CREATE TABLE` of each table, by name, joined by blank lines: what the prompt shows."""
    with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        connection.text_factory = lambda data: data.decode("utf-8", "backslashreplace")
        found = connection.execute(
            "SELECT sql FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND sql IS NOT NULL "
            "ORDER BY name"
        )
        return "\n\n".join(str(sql).strip() for (sql,) in found)


async def _collect(client: Client, split: str) -> list[task_pb2.Task]:
    return [task async for task in tasks_of_server(client, split)]


def main(arguments: Sequence[str] | None = None) -> int:
    """Writes the files; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m sqlenv.verl.dataset", description=__doc__.split("\n")[0])
    parser.add_argument("address", nargs="?", help="host:port of a server")
    parser.add_argument("--tasks", type=Path, help="JSONL file of tasks, instead of a server")
    parser.add_argument("--databases", type=Path, help="folder of their databases")
    parser.add_argument("--out", type=Path, required=True, help="folder to write to")
    parser.add_argument("--split", default="", help="only this split")
    parser.add_argument("--agent-name", default=AGENT_NAME, help="column agent_name (default %(default)s)")
    parser.add_argument("--data-source", default=DATA_SOURCE, help="column data_source (default %(default)s)")
    options = parser.parse_args(arguments)
    if (options.address is None) == (options.tasks is None) or (options.tasks and not options.databases):
        parser.error("give the address of a server, or --tasks and --databases")
    try:
        tasks = (
            asyncio.run(_collect(Client(options.address), options.split))
            if options.address
            else list(tasks_of_file(options.tasks, options.databases, options.split))
        )
        written = write_splits(tasks, options.out, agent_name=options.agent_name, data_source=options.data_source)
    except ImportError:
        print("pyarrow is missing: pip install 'sqlenv[data]'", file=sys.stderr)
        return 1
    except (SqlEnvError, ValueError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    for path, count in written.items():
        print(f"{path}: {count} rows")
    return 0 if written else 1


if __name__ == "__main__":
    sys.exit(main())
