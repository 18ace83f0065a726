"""Programs of a few lines that tests run as processes of their own; exit code 0 says that all was as it should be.

python -m tests.support.scripts NAME ADDRESS TRANSPORT
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
import time

from sqlenv import Client, SyncClient

TASK = "demo/bakery_chain/01"
SLOW = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
FORK_COUNT = 12
HANG_S = 60


async def play(client: Client, count: int) -> int:
    """Some episodes at once, whose observations are checked; returns how often one was replayed."""

    async def one(number: int) -> int:
        async with client.episode(TASK) as episode:
            for value in range(number * 10, number * 10 + 3):
                step = await episode.call_tool("run_sql", f'{{"query": "SELECT {value}"}}')
                assert step.messages[0].content == f'{{"columns": ["{value}"], "rows": [[{value}]]}}'
            return episode.replay_count

    return sum(await asyncio.gather(*map(one, range(count))))


def fork_in_mid_call(client: Client) -> None:
    """Forks again and again while another thread makes calls. All children work, and the thread notices nothing."""
    is_over = threading.Event()
    replay_counts: list[int] = []

    def keep_playing() -> None:
        async def rounds() -> None:
            while not is_over.is_set():
                replay_counts.append(await play(client, 16))

        asyncio.run(rounds())

    player = threading.Thread(target=keep_playing)
    player.start()
    while not replay_counts:
        time.sleep(0.01)
    codes = [_fork_and_wait(client) for _ in range(FORK_COUNT)]
    is_over.set()
    player.join(HANG_S)
    assert not player.is_alive()
    assert codes == [0] * FORK_COUNT, codes
    assert sum(replay_counts) == 0


def _fork_and_wait(client: Client) -> int:
    process_id = os.fork()
    if process_id == 0:
        signal.alarm(HANG_S)
        code = 1
        try:
            good = asyncio.run(play(client, 4)) == 0 and SyncClient(client.addresses).info().task_count > 0
            code = 0 if good else 1
        finally:
            os._exit(code)
    return os.waitpid(process_id, 0)[1]


def child_that_ends_by_itself(client: Client) -> None:
    """A child whose parent has a stream, and has one too, ends as any program does."""
    assert asyncio.run(play(client, 4)) == 0
    process_id = os.fork()
    assert asyncio.run(play(client, 4)) == 0
    if process_id != 0:
        assert os.waitpid(process_id, 0)[1] == 0


def end_in_mid_call(client: Client) -> None:
    """The program ends while a daemon thread waits for a step."""
    began = threading.Event()

    async def wait_for_long() -> None:
        async with client.episode(TASK) as episode:
            began.set()
            await episode.call_tool("run_sql", f'{{"query": "{SLOW}"}}')

    threading.Thread(target=lambda: asyncio.run(wait_for_long()), daemon=True).start()
    assert began.wait(HANG_S)
    time.sleep(0.2)


SCRIPTS = {script.__name__: script for script in (fork_in_mid_call, child_that_ends_by_itself, end_in_mid_call)}

if __name__ == "__main__":
    signal.alarm(2 * HANG_S)
    SCRIPTS[sys.argv[1]](Client(sys.argv[2], transport=sys.argv[3]))
