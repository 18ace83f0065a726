"""Episodes whose server is lost."""

from __future__ import annotations

import asyncio
import os
import signal
import time

import pytest

from sqlenv import Client, Episode, ErrorReason, SqlEnvError, Timing
from sqlenv.server import Server
from tests.conftest import StartServer

pytestmark = pytest.mark.usefixtures("both_transports")

TASK = "demo/bakery_chain/01"
GOLD = "```sql\nSELECT count(DISTINCT kind) FROM products\n```"


def kill(server: Server, how: signal.Signals = signal.SIGKILL) -> None:
    assert server.process_id is not None
    os.kill(server.process_id, how)


async def query(episode: Episode, sql: str) -> str:
    step = await episode.call_tool("run_sql", f'{{"query": "{sql}"}}')
    return step.messages[0].content


async def test_a_restarted_server_is_replayed(start_server: StartServer) -> None:
    server = start_server()
    async with Client(server.address).episode(TASK) as episode:
        first = await query(episode, "SELECT * FROM products")
        assert "error" in await query(episode, "SELECT broken")
        kill(server)
        assert await query(episode, "SELECT * FROM products") == first
        assert episode.replay_count == 1
        assert (await episode.finish(GOLD)).reward == 1.0
    assert (await Client(server.address).info()).episode_count == 0


async def test_an_answer_that_was_lost_is_asked_for_again(start_server: StartServer) -> None:
    """Nothing but the response got lost, so the server repeats it, and no replay is needed."""
    server = start_server()
    async with Client(server.address).episode(TASK) as episode:
        kill(server, signal.SIGSTOP)
        asking = asyncio.ensure_future(query(episode, "SELECT 1"))
        await asyncio.sleep(0.2)
        kill(server, signal.SIGCONT)
        assert await asking == '{"columns": ["1"], "rows": [[1]]}'
        assert episode.replay_count == 0


async def test_another_server_takes_over(start_server: StartServer) -> None:
    servers = [start_server(restart=False), start_server(restart=False)]
    client = Client([server.address for server in servers])
    episodes = [client.episode(TASK) for _ in range(6)]
    await asyncio.gather(*(episode.open() for episode in episodes))
    assert sorted(str(episode.server) for episode in episodes) == sorted(s.address for s in servers for _ in range(3))
    await asyncio.gather(*(query(episode, "SELECT 1") for episode in episodes))
    kill(servers[0])
    texts = await asyncio.gather(*(query(episode, "SELECT 2") for episode in episodes))
    assert texts == ['{"columns": ["2"], "rows": [[2]]}'] * 6
    assert {episode.server for episode in episodes} == {servers[1].address}
    assert sum(episode.replay_count for episode in episodes) == 3
    rewards = [step.reward for step in await asyncio.gather(*(episode.finish(GOLD) for episode in episodes))]
    assert rewards == [1.0] * 6
    # New ones avoid the dead server, without waiting.
    start = time.monotonic()
    async with client.episode(TASK) as episode:
        assert episode.server == servers[1].address
    assert time.monotonic() - start < 1.0


async def test_a_stalled_server_is_left(start_server: StartServer) -> None:
    stalled, other = start_server(restart=False), start_server(restart=False)
    client = Client([stalled.address, other.address], Timing(step_s=0.5, close_s=0.2))
    episodes = [client.episode(TASK), client.episode(TASK)]
    await asyncio.gather(*(episode.open() for episode in episodes))
    (episode,) = (episode for episode in episodes if episode.server == stalled.address)
    await query(episode, "SELECT 1")
    kill(stalled, signal.SIGSTOP)
    try:
        start = time.monotonic()
        assert await query(episode, "SELECT 2") == '{"columns": ["2"], "rows": [[2]]}'
        assert time.monotonic() - start < 2.0
        assert episode.server == other.address
    finally:
        kill(stalled, signal.SIGCONT)
    await asyncio.gather(*(episode.close() for episode in episodes))


async def test_a_lease_that_ran_out_is_replayed(start_server: StartServer) -> None:
    server = start_server("--lease-ms", "200")
    async with Client(server.address).episode(TASK) as episode:
        await query(episode, "SELECT 1")
        await asyncio.sleep(0.6)
        assert await query(episode, "SELECT 2") == '{"columns": ["2"], "rows": [[2]]}'
        assert episode.replay_count == 1


async def test_servers_that_answer_otherwise_are_noticed(start_server: StartServer) -> None:
    first, second = start_server(restart=False), start_server("--text-size-max", "20", restart=False)
    client = Client([first.address, second.address])
    episodes = [client.episode(TASK), client.episode(TASK)]
    await asyncio.gather(*(episode.open() for episode in episodes))
    (episode,) = (episode for episode in episodes if episode.server == first.address)
    await query(episode, "SELECT 1")
    kill(first)
    with pytest.raises(SqlEnvError) as caught:
        await query(episode, "SELECT 2")
    assert caught.value.reason is ErrorReason.REPLAY_MISMATCH
    await asyncio.gather(*(episode.close() for episode in episodes))


async def test_an_observation_that_changes_is_noticed(start_server: StartServer) -> None:
    server = start_server()
    async with Client(server.address).episode(TASK) as episode:
        assert "error" not in await query(episode, "SELECT random()")
        kill(server)
        with pytest.raises(SqlEnvError) as caught:
            await query(episode, "SELECT 1")
        assert caught.value.reason is ErrorReason.REPLAY_MISMATCH


async def test_a_server_that_never_comes_back(start_server: StartServer) -> None:
    server = start_server(restart=False)
    episode = Client(server.address, Timing(budget_s=1.0)).episode(TASK)
    await episode.open()
    kill(server)
    start = time.monotonic()
    with pytest.raises(SqlEnvError) as caught:
        await query(episode, "SELECT 1")
    assert caught.value.code == "UNAVAILABLE"
    assert time.monotonic() - start < 1.5
    await episode.close()


async def test_a_name_with_a_dead_address(start_server: StartServer) -> None:
    """`localhost` is 127.0.0.1 and, on most machines, ::1 too, where nothing listens."""
    server = start_server()
    port = server.address.rpartition(":")[2]
    client = Client(f"dns:///localhost:{port}")
    for _ in range(4):
        async with client.episode(TASK) as episode:
            assert episode.server == server.address
