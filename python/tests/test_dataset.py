"""Data sets for verl."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sqlenv import SyncClient
from sqlenv.server import Server
from sqlenv.verl import dataset
from sqlenv.verl.rows import create_kwargs_of, database_of_kwargs, task_of_row, without_none
from tests.conftest import PROGRAM

DATABASES = Path(__file__).resolve().parents[2] / "databases"


def rows_of(path: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = pq.read_table(path).to_pylist()
    return rows


def test_a_server_and_its_file_give_the_same_rows(server: Server, tmp_path: Path) -> None:
    assert dataset.main([server.address, "--out", str(tmp_path / "a")]) == 0
    file = ["--tasks", str(DATABASES / "tasks.jsonl"), "--databases", str(DATABASES / "build")]
    assert dataset.main([*file, "--out", str(tmp_path / "b")]) == 0
    for split in ("train", "dev"):
        a, b = (pq.read_table(tmp_path / folder / f"{split}.parquet") for folder in ("a", "b"))
        assert a.schema.equals(dataset.arrow_schema())
        assert a.equals(b)


def test_rows_serve_both_paths(server: Server, tmp_path: Path) -> None:
    tasks = list(SyncClient(server.address).tasks(split="dev", include_gold=True, include_messages=True))
    written = dataset.write_splits(tasks, tmp_path)
    assert written == {tmp_path / "dev.parquet": len(tasks)}
    for index, (row, task) in enumerate(zip(rows_of(tmp_path / "dev.parquet"), tasks, strict=True)):
        info = row["extra_info"]
        assert (row["agent_name"], row["data_source"], info["split"], info["index"]) == (
            "sqlenv",
            "sqlenv",
            "dev",
            index,
        )
        assert [message["role"] for message in row["prompt"]] == ["system", "user"]
        assert row["reward_model"] == {"style": "rule", "ground_truth": task.gold_sql}
        choice = task_of_row(info, task.gold_sql)
        assert (choice.task_id, choice.gold_sha256) == (task.task_id, task.gold_sha256)
        assert database_of_kwargs(create_kwargs_of(info["tools_kwargs"])) == task.database_id


def test_the_command_prepare_writes_the_same_columns(tmp_path: Path) -> None:
    """`sqlenv prepare` chooses and shuffles rows; a row of a task is the same as ours, but for split and index."""
    out = tmp_path / "prepared"
    command = ["node", str(PROGRAM), "prepare", "jsonl", str(DATABASES / "tasks.jsonl"), "--rows", "0"]
    subprocess.run([*command, "--databases", str(DATABASES / "build"), "--out", str(out)], check=True)
    tasks = dataset.tasks_of_file(DATABASES / "tasks.jsonl", DATABASES / "build")
    ours = {task.task_id: dataset.make_row(task, 0) for task in tasks}
    seen = set()
    for name in ("rl", "eval"):
        table = pq.read_table(out / f"{name}.parquet")
        assert table.schema.equals(dataset.arrow_schema())
        for index, row in enumerate(table.to_pylist()):
            task_id = row["extra_info"]["env"]["task_id"]
            seen.add(task_id)
            extra_info = {**ours[task_id]["extra_info"], "split": name, "index": index}
            assert row == {**ours[task_id], "extra_info": extra_info}
    assert seen == ours.keys()


def test_no_struct_is_empty_and_none_is_filled_in(server: Server, tmp_path: Path) -> None:
    """Arrow writes None for keys that a row lacks, and refuses empty structs: no row may lack a key."""
    assert dataset.main([server.address, "--out", str(tmp_path), "--split", "train"]) == 0

    def check(value: Any) -> None:
        assert value is not None
        if isinstance(value, dict):
            assert value
            for inner in value.values():
                check(inner)

    for row in rows_of(tmp_path / "train.parquet"):
        check(row)


def test_rows_with_what_arrow_fills_in() -> None:
    table = pa.Table.from_pylist([{"k": {"run_sql": {"create_kwargs": {"db_id": "a"}}}}, {"k": {"other": {"x": 1}}}])
    first, second = (row["k"] for row in table.to_pylist())
    assert database_of_kwargs(create_kwargs_of(first)) == "a"
    assert create_kwargs_of(second) == {}
    assert without_none(second) == {"other": {"x": 1}}
    assert create_kwargs_of(None) == {}
    with pytest.raises(ValueError, match="names no task"):
        task_of_row({"index": 1, "tools_kwargs": second}, "SELECT 1")


def test_inputs_that_are_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tasks = tmp_path / "tasks.jsonl"
    tasks.write_text('{"task_id": "a", "database_id": "none", "question": "?", "gold_sql": "SELECT 1"}\nnonsense\n')
    flags = ["--databases", str(tmp_path), "--out", str(tmp_path)]
    assert dataset.main(["--tasks", str(tasks), *flags]) == 1
    assert "there is no database none" in capsys.readouterr().err
    tasks.write_text("nonsense\n")
    assert dataset.main(["--tasks", str(tasks), *flags]) == 1
    assert "line 1" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        dataset.main(["--out", str(tmp_path)])
