"""The standard batch through a server, with the Python client: all 512 episodes at once, as a trainer has them.

usage: batch_client.py ADDRESS TASKS.json WARM_ROUNDS ROUNDS unary|stream. Prints a line when it is warm, `{"first": SECONDS}`, and
`{"seconds": [...], "cpu_seconds": [...]}` at its end.
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
    address, path, warm, rounds, transport = *sys.argv[1:3], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5]
    client = Client(address, transport=transport)
    # The first rounds open connections and compile the server's code.
    first = [await batch(client, load(path, 8, f"{transport} warm {index}")) for index in range(warm)][0][0]
    print(json.dumps({"first": first}), flush=True)
    figures = [await batch(client, load(path, 8, f"{transport} {index}")) for index in range(rounds)]
    print(json.dumps({"seconds": [wall for wall, _ in figures], "cpu_seconds": [cpu for _, cpu in figures]}))


if __name__ == "__main__":
    asyncio.run(main())
