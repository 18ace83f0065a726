"""The drop-in for rows of the stock loop: `RunSqlTool` on verl's real loops, and `compute_score`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sqlenv import SqlEnvError
from sqlenv.server import Server
from sqlenv.verl.reward import compute_score
from tests.conftest import PROGRAM
from tests.support.workers import VERL_VERSIONS, Worker, answer, call, make_case

GOLD = "SELECT count(DISTINCT kind) FROM products"
EXTRA_INFO = {"env": {"task_id": "demo/bakery_chain/01", "database_id": "bakery_chain", "gold_sha256": None}}


@pytest.fixture(scope="module", params=VERL_VERSIONS)
def worker(request: pytest.FixtureRequest) -> Iterator[Worker]:
    started = Worker(request.param)
    yield started
    started.close()


async def test_same_tokens_and_reward_as_the_loop(worker: Worker, server: Server) -> None:
    case = make_case([call("SELECT * FROM products"), call("SELECT nothing"), answer(GOLD)])
    tool = {**case, "loop": "tool", "tool_config": {"address": server.address}}
    from_loop, from_tool = worker.run({"options": {"address": server.address}, "cases": [case, tool]})
    assert from_tool["response_ids"] == from_loop["response_ids"]
    assert from_tool["response_mask"] == from_loop["response_mask"]
    scored = await compute_score("sqlenv", from_tool["solution"], GOLD, EXTRA_INFO, address=server.address)
    assert list(scored) == ["score", "acc", "env_verdict", "env_ms", "env_failed"]
    assert scored["score"] == from_loop["reward_score"] == 1.0


def test_failures_are_a_fixed_text_then_the_end(worker: Worker) -> None:
    case = make_case([call("SELECT 1"), call("SELECT 1"), answer(GOLD)], loop="tool")
    case["tool_config"] = {"address": "127.0.0.1:9", "timing": {"budget_s": 0.3}}
    told = worker.run({"cases": [case]})[0]
    assert told["text"].count("<tool_response>\nTool error: environment unavailable\n</tool_response>") == 2


@pytest.mark.parametrize("config", [{"failure_count_max": 2}, {"on_env_failure": "raise"}])
def test_failures_end_trajectories(worker: Worker, config: dict[str, Any]) -> None:
    """After some in a row, or at once: the server is gone, and the model must not be trained on that."""
    case = make_case([call("SELECT 1"), call("SELECT 1"), answer(GOLD)], loop="tool")
    case["tool_config"] = {"address": "127.0.0.1:9", "timing": {"budget_s": 0.3}, **config}
    outcome = worker.run({"cases": [case]})[0]
    assert outcome["error"] == "EnvAbort"
    assert "UNAVAILABLE" in outcome["message"]


def test_failures_are_counted_over_trajectories(worker: Worker) -> None:
    """verl 0.7 makes a tool for each trajectory, so a count of its own would never reach the limit."""
    case = make_case([call("SELECT 1"), answer(GOLD)], loop="tool")
    case["tool_config"] = {"address": "127.0.0.1:11", "timing": {"budget_s": 0.3}}
    outcomes = worker.run({"cases": [case] * 10})
    assert [outcome.get("error") for outcome in outcomes].count("EnvAbort") == 3


async def test_an_answer_given_without_the_tool_is_not_scored(server: Server) -> None:
    unreached = "user\n<tool_response>\nTool error: environment unavailable\n</tool_response>\n"
    solution = f"<tool_call>\n{{}}\n</tool_call>\n{unreached}assistant\n{answer(GOLD)}"
    scored = await compute_score("sqlenv", solution, GOLD, EXTRA_INFO, address=server.address)
    assert (scored["score"], scored["env_failed"]) == (0.0, 1)


def test_a_row_without_a_database(worker: Worker, server: Server) -> None:
    case = make_case([call("SELECT 1"), answer(GOLD)], loop="tool", tool_config={"address": server.address})
    case["row"]["tools_kwargs"] = {"run_sql": {"create_kwargs": {"database_id": None}}}
    assert "the row names no database" in worker.run({"cases": [case]})[0]["text"]


async def test_scope_of_the_answer(server: Server) -> None:
    observed = "<tool_call>\n{}\n</tool_call>\nuser\n<tool_response>\nx\n</tool_response>\nassistant\n"
    earlier = f"{answer(GOLD)}\n{observed}I am done."
    last = f"{answer('SELECT 99')}\n{observed}{answer(GOLD)}"

    async def score(solution: str, scope: str) -> float:
        scored = await compute_score(
            "sqlenv", solution, GOLD, EXTRA_INFO, address=server.address, scoring_scope=scope, extra="ignored"
        )
        return float(scored["score"])

    assert [await score(text, "last_turn") for text in (earlier, last)] == [0.0, 1.0]
    assert [await score(text, "transcript") for text in (earlier, last)] == [1.0, 1.0]


async def test_rows_of_others_bring_their_gold(server: Server) -> None:
    extra_info = {
        "tools_kwargs": {"run_sql": {"create_kwargs": {"db_path": "/data/bakery_chain/bakery_chain.sqlite"}}, "b": None}
    }
    scored = await compute_score("spider", answer("SELECT 5"), "SELECT 5", extra_info, address=server.address)
    assert scored["score"] == 1.0


async def test_failure_is_never_a_silent_zero() -> None:
    options: dict[str, Any] = {"address": "127.0.0.1:9", "timing": {"budget_s": 0.3}}
    with pytest.raises(SqlEnvError, match="UNAVAILABLE"):
        await compute_score("sqlenv", answer(GOLD), GOLD, EXTRA_INFO, **options)
    neutral = await compute_score("sqlenv", answer(GOLD), GOLD, EXTRA_INFO, on_env_failure="neutral", **options)
    assert (neutral["score"], neutral["env_failed"], neutral["env_verdict"]) == (0.0, 1, 0)


def test_what_the_server_records_of_a_trajectory(worker: Worker, tmp_path: Path) -> None:
    case = make_case([call("SELECT 1"), answer(GOLD)])
    case["row"].update({"session_id": 5, "global_steps": 2})
    case["row"]["extra_info"]["split"] = "dev"
    with Server(["--demo", "--record", str(tmp_path)], program=PROGRAM, on_log=lambda _: None) as server:
        worker.run({"options": {"address": server.address}, "cases": [case]})
    (line,) = (line for path in tmp_path.rglob("*.jsonl") for line in path.read_text().splitlines())
    record = json.loads(line)
    labels = {"uid": "0f3c", "session_id": "5", "global_steps": "2", "index": "3", "split": "dev"}
    assert (record["mode"], record["group_id"], record["labels"]) == ("eval", "0f3c", labels)
    assert record["end"] == "terminated"
