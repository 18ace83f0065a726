"""The client against the real server."""

from __future__ import annotations

import asyncio
import os
import signal
import time

import pytest

from sqlenv import Client, ErrorReason, SqlEnvError, SyncClient, Timing
from sqlenv.server import Server
from sqlenv.v1 import episode_pb2, score_pb2, task_pb2
from tests.conftest import StartServer

pytestmark = pytest.mark.usefixtures("both_transports")

TASK = "demo/bakery_chain/01"
GOLD = "SELECT count(DISTINCT kind) FROM products"


async def test_an_episode(server: Server) -> None:
    async with Client(server.address).episode(TASK, mode=episode_pb2.EPISODE_MODE_TRAIN) as episode:
        assert episode.opened.task.task_id == TASK
        assert [message.role for message in episode.opened.messages] == ["system", "user"]
        step = await episode.call_tool("run_sql", '{"query": "SELECT 2.0"}')
        assert step.messages[0].content == '{"columns": ["2.0"], "rows": [[2.0]]}'
        assert not episode.ended
        last = await episode.finish(f"```sql\n{GOLD}\n```")
    assert (last.reward, last.terminated, last.grade.verdict) == (1.0, True, score_pb2.VERDICT_MATCH)
    assert episode.ended
    with pytest.raises(RuntimeError, match="not open"):
        await episode.finish("again")


async def test_turns_as_text(server: Server) -> None:
    async with Client(server.address).episode(TASK) as episode:
        turn = '<tool_call>\n{"name": "run_sql", "arguments": {"query": "SELECT 1"}}\n</tool_call>'
        step = await episode.step_text(turn, completion_token_count=30)
        assert step.messages[0].content == '{"columns": ["1"], "rows": [[1]]}'
        last = await episode.step_text(f"```sql\n{GOLD}\n```", completion_token_count=12)
        assert (last.reward, last.completion_token_count) == (1.0, 42)


async def test_an_episode_that_is_left_is_closed(server: Server) -> None:
    client = Client(server.address)
    before = (await client.info()).episode_count
    with pytest.raises(ZeroDivisionError):
        async with client.episode(TASK):
            raise ZeroDivisionError
    with pytest.raises(asyncio.TimeoutError):
        async with asyncio.timeout(0.2) if hasattr(asyncio, "timeout") else _timeout(0.2), client.episode(TASK):
            await asyncio.sleep(5)
    assert (await client.info()).episode_count == before


def _timeout(_seconds: float) -> asyncio.Semaphore:
    pytest.skip("asyncio.timeout is new in Python 3.11")


async def test_steps_asked_for_together_are_taken_in_order(server: Server) -> None:
    async with Client(server.address).episode(TASK) as episode:
        steps = await asyncio.gather(*(episode.call_tool("run_sql", f'{{"query": "SELECT {n}"}}') for n in range(5)))
    assert [step.step_index for step in steps] == [0, 1, 2, 3, 4]
    assert [step.queries[0].sql for step in steps] == [f"SELECT {n}" for n in range(5)]


async def test_all_tasks_page_by_page(server: Server) -> None:
    client = Client(server.address)
    tasks = [task async for task in client.tasks(page_size=7, include_messages=True)]
    assert len(tasks) == (await client.info()).task_count
    assert len({task.task_id for task in tasks}) == len(tasks)
    assert all(task.messages and not task.gold_sql for task in tasks)
    assert {task.split async for task in client.tasks(split="dev")} == {"dev"}


async def test_calls_without_an_episode(server: Server) -> None:
    client = Client(server.address)
    ran = await client.run_sql("bakery_chain", query="SELECT 1")
    assert ran.message.content == '{"columns": ["1"], "rows": [[1]]}'
    odd = await client.run_sql("bakery_chain", arguments_json='"SELECT 1"')
    assert odd.query.status == score_pb2.QUERY_STATUS_INVALID_ARGUMENTS
    (grade,) = await client.score(TASK, sql=GOLD)
    assert grade.reward == 1.0
    inline = task_pb2.InlineTask(database_id="bakery_chain", question="?", gold_sql="SELECT 1")
    grades = await client.score(inline_task=inline, completion="SELECT 1", comparison_modes=["bag@1", "rows@1"])
    assert [grade.comparison_mode for grade in grades] == ["bag@1", "rows@1"]


@pytest.mark.parametrize(
    ("task_id", "code", "reason", "caller_fault"),
    [
        ("no/such", "NOT_FOUND", ErrorReason.TASK_NOT_FOUND, True),
        ("x" * 201, "INVALID_ARGUMENT", ErrorReason.INVALID_FIELD, True),
    ],
)
async def test_reasons_arrive(server: Server, task_id: str, code: str, reason: ErrorReason, caller_fault: bool) -> None:
    with pytest.raises(SqlEnvError) as caught:
        await Client(server.address).episode(task_id).open()
    assert (caught.value.code, caught.value.reason, caught.value.is_caller_fault) == (code, reason, caller_fault)
    assert caught.value.address == server.address


async def test_lone_surrogates_are_sent(server: Server) -> None:
    async with Client(server.address).episode(TASK, labels={"a": "\ud800"}) as episode:
        step = await episode.call_tool("run_sql", '{"query": "SELECT \'\\ud800\'"}')
        assert step.queries[0].status == score_pb2.QUERY_STATUS_INVALID_ARGUMENTS
        await episode.finish("\udfff no answer")


async def test_a_full_server_is_waited_for(start_server: StartServer) -> None:
    client = Client(start_server("--episode-count-max", "1").address)
    first = client.episode(TASK)
    await first.open()
    waiting = asyncio.ensure_future(client.episode(TASK).open())
    await asyncio.sleep(0.3)
    assert not waiting.done()
    await first.close()
    await asyncio.wait_for(waiting, 5)
    hasty = Client(client.addresses, Timing(budget_s=0.5))
    start = time.monotonic()
    with pytest.raises(SqlEnvError) as caught:
        await hasty.episode(TASK).open()
    assert caught.value.reason is ErrorReason.OVERLOADED
    assert time.monotonic() - start < 1.0


async def test_every_call_ends_in_time_on_a_stalled_server(start_server: StartServer) -> None:
    server = start_server()
    timing = Timing(reset_s=0.3, step_s=0.3, score_s=0.3, info_s=0.3, close_s=0.3, budget_s=2.0)
    client = Client(server.address, timing)
    episode = client.episode(TASK)
    await episode.open()
    assert server.process_id is not None
    os.kill(server.process_id, signal.SIGSTOP)
    try:
        calls = [
            episode.call_tool("run_sql", '{"query": "SELECT 1"}'),
            client.info(),
            client.run_sql("bakery_chain", query="SELECT 1"),
            client.score(TASK, sql="SELECT 1"),
            client.episode(TASK).open(),
        ]
        start = time.monotonic()
        ended = await asyncio.gather(*calls, return_exceptions=True)
        assert [type(error) for error in ended] == [SqlEnvError] * len(calls)
        assert {error.code for error in ended if isinstance(error, SqlEnvError)} == {"DEADLINE_EXCEEDED"}
        # Twice the deadline and a pause between.
        assert time.monotonic() - start < 1.5
        start = time.monotonic()
        await episode.close()
        assert time.monotonic() - start < 0.6
    finally:
        os.kill(server.process_id, signal.SIGCONT)


def test_sync_facade(server: Server) -> None:
    client = SyncClient(server.address)
    assert client.info().task_count == len(list(client.tasks()))
    with client.episode(TASK) as episode:
        assert episode.call_tool("run_sql", '{"query": "SELECT 1"}').step_index == 0
        assert episode.finish(f"```sql\n{GOLD}\n```").reward == 1.0
    assert client.score(TASK, sql=GOLD)[0].matched
    assert client.run_sql("bakery_chain", query="SELECT 1").query.row_count == 1


async def test_sync_facade_inside_a_running_loop(server: Server) -> None:
    assert SyncClient(server.address).info().task_count > 0
