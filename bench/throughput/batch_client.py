"""The standard batch through a server, with the Python client: all 512 episodes at once, as a trainer has them.

usage: batch_client.py ADDRESS TASKS.json WARM_ROUNDS unary|stream. Prints `{"first": SECONDS}` when it is warm; then plays a batch for
each line that it reads, and prints `{"seconds": ..., "cpu_seconds": ...}`.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time

from batch_plan import Rollout, load

from sqlenv import Client


async def episode(client: Client, rollout: Rollout) -> float:
    """Plays one rollout; its reward."""
    async with client.episode(rollout.task_id, group_id=rollout.task_id) as played:
        for query in rollout.queries:
            await played.call_tool("run_sql", json.dumps({"query": query}))
        last = await played.finish(f"```sql\n{rollout.answer}\n```")
    return float(last.reward)


async def batch(client: Client, rollouts: list[Rollout]) -> tuple[float, float]:
    """Plays all rollouts at once; seconds, and CPU seconds of this process."""
    start, cpu = time.perf_counter(), time.process_time()
    rewards = await asyncio.gather(*(episode(client, rollout) for rollout in rollouts))
    figures = time.perf_counter() - start, time.process_time() - cpu
    assert sum(rewards) == len(rollouts), f"{sum(rewards)} of {len(rollouts)} were rewarded"
    return figures


async def main() -> None:
    address, path, warm, transport = *sys.argv[1:3], int(sys.argv[3]), sys.argv[4]
    client = Client(address, transport=transport)
    # The first rounds open connections and compile the server's code.
    first = [await batch(client, load(path, 8, f"{transport} warm {index}")) for index in range(warm)][0][0]
    print(json.dumps({"first": first}), flush=True)
    index = 0
    while await asyncio.to_thread(sys.stdin.readline):
        wall, cpu = await batch(client, load(path, 8, f"{transport} {index}"))
        print(json.dumps({"seconds": wall, "cpu_seconds": cpu}), flush=True)
        index += 1


if __name__ == "__main__":
    asyncio.run(main())
