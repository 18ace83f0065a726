"""Forks, pickles, and several event loops."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import pickle
import threading
import time

import pytest

from sqlenv import Client, SyncClient, transport
from sqlenv.server import Server
from tests.support.workers import VERL_VERSIONS, Worker, answer, call, make_case

pytestmark = pytest.mark.usefixtures("both_transports")

TASK = "demo/bakery_chain/01"


async def play(client: Client, count: int = 8) -> list[str]:
    """Some episodes at once; their observations."""

    async def one(number: int) -> str:
        async with client.episode(TASK) as episode:
            step = await episode.call_tool("run_sql", f'{{"query": "SELECT {number}"}}')
            return step.messages[0].content

    return await asyncio.gather(*map(one, range(count)))


EXPECTED = [f'{{"columns": ["{number}"], "rows": [[{number}]]}}' for number in range(8)]


def test_making_a_client_opens_nothing() -> None:
    threads = threading.active_count()
    client = Client("127.0.0.1:9")
    client.episode(TASK)
    assert threading.active_count() == threads
    copy = pickle.loads(pickle.dumps(client))
    assert vars(copy) == vars(client)


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_child_of_a_process_that_has_made_calls(server: Server) -> None:
    """The trap of grpc.aio: its first call in such a child never returns."""
    client = Client(server.address)
    assert asyncio.run(play(client)) == EXPECTED
    assert SyncClient(server.address).info().task_count > 0
    process_id = os.fork()
    if process_id == 0:
        # The parent's connections are its own: two processes on one would garble it.
        if transport._connections._open:
            os._exit(2)
        good = asyncio.run(play(client)) == EXPECTED and SyncClient(server.address).info().task_count > 0
        os._exit(0 if good else 1)
    end = time.monotonic() + 20
    while (ended := os.waitpid(process_id, os.WNOHANG)) == (0, 0):
        if time.monotonic() > end:
            os.kill(process_id, 9)
            os.waitpid(process_id, 0)
            pytest.fail("the child hangs")
        time.sleep(0.02)
    assert ended[1] == 0
    # And the parent goes on.
    assert asyncio.run(play(client)) == EXPECTED


def _play_in_child(client: Client) -> list[str]:
    return asyncio.run(play(client))


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_a_pickled_client_in_another_process(server: Server, method: str) -> None:
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map(_play_in_child, [Client(server.address)] * 2) == [EXPECTED] * 2


def test_two_loops_in_two_threads(server: Server, caplog: pytest.LogCaptureFixture) -> None:
    client = Client(server.address)
    outcomes: list[list[str]] = []

    def run() -> None:
        for _ in range(10):
            outcomes.append(asyncio.run(play(client)))

    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert outcomes == [EXPECTED] * 20
    assert caplog.records == []


@pytest.mark.parametrize("version", VERL_VERSIONS)
def test_loops_and_tools_of_verl_are_pickled_and_forked(version: str, server: Server) -> None:
    worker = Worker(version)
    try:
        case = make_case([call("SELECT 1"), answer("SELECT count(DISTINCT kind) FROM products")])
        case["tool_config"] = {"address": server.address}
        worker.send({"kind": "processes", "options": {"address": server.address}, "cases": [case]})
        outcome = worker.receive()
    finally:
        worker.close()
    assert outcome["pickled"] == ["_client", "_policy", "_score_options", "_scoring_scope"]
    parent, pickled_tool, child = outcome["parent"], outcome["pickled_tool"], outcome["child"]
    assert parent["reward_score"] == child["reward_score"] == 1.0
    assert parent["response_ids"] == child["response_ids"] == pickled_tool["response_ids"]
