"""Measures what a step costs this client: CPU time of its process, on a stream and with a call for each.

    python scripts/measure_client.py [--episodes 512] [--rounds 9] [--address HOST:PORT] [--json]

Without an address it starts a demo server, built before. An episode is Reset, two tool calls and an answer, thus three
steps; all episodes of a round run at once on one event loop. The two transports take turns, so that what else the
machine does hits both; the least disturbed round of each is the figure to compare.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import statistics
import time
from typing import Any

from sqlenv import Client
from sqlenv.server import Server

TASK = "demo/bakery_chain/01"
GOLD = "```sql\nSELECT count(DISTINCT kind) FROM products\n```"
STEP_COUNT = 3
TRANSPORTS = ("unary", "stream")


async def play(client: Client) -> None:
    """One episode, which must earn 1."""
    async with client.episode(TASK) as episode:
        await episode.call_tool("run_sql", '{"query": "SELECT * FROM products"}')
        await episode.call_tool("run_sql", '{"query": "SELECT count(*) FROM products"}')
        reward = (await episode.finish(GOLD)).reward
    if reward != 1.0:
        raise SystemExit(f"the right answer earned {reward}")


async def measure(address: str, transport: str, episode_count: int) -> tuple[float, float]:
    """Microseconds of CPU time of this process a step, and seconds until all episodes had ended."""
    client = Client(address, transport=transport)
    cpu, wall = time.process_time(), time.perf_counter()
    await asyncio.gather(*(play(client) for _ in range(episode_count)))
    cpu_s, wall_s = time.process_time() - cpu, time.perf_counter() - wall
    return cpu_s / (episode_count * STEP_COUNT) * 1e6, wall_s


async def run(address: str, episode_count: int, round_count: int) -> dict[str, Any]:
    """All rounds; the figures by transport."""
    rounds: dict[str, list[tuple[float, float]]] = {transport: [] for transport in TRANSPORTS}
    for number in range(round_count + 1):
        for transport, measured in rounds.items():
            figures = await measure(address, transport, episode_count)
            if number > 0:  # the first is the warm-up
                measured.append(figures)
    return {
        transport: {
            "cpu_us_per_step_min": round(min(cpu for cpu, _ in measured), 1),
            "cpu_us_per_step_median": round(statistics.median(cpu for cpu, _ in measured), 1),
            "wall_s_min": round(min(wall for _, wall in measured), 3),
            "wall_s_median": round(statistics.median(wall for _, wall in measured), 3),
        }
        for transport, measured in rounds.items()
    }


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--episodes", type=int, default=512, help="episodes at once (default %(default)s)")
    parser.add_argument("--rounds", type=int, default=9, help="rounds of each transport (default %(default)s)")
    parser.add_argument("--address", help="a server that runs; its catalog must be the demo's")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    with contextlib.ExitStack() as stack:
        flags = ("--demo", "--no-record", "--log-level", "warn")
        address = options.address or stack.enter_context(Server(flags)).address
        figures = asyncio.run(run(address, options.episodes, options.rounds))
    if options.json:
        print(json.dumps(figures))
        return
    for transport, values in figures.items():
        print(
            f"{transport:7} {values['cpu_us_per_step_min']:6.1f} us of client CPU a step (median "
            f"{values['cpu_us_per_step_median']:.1f}), batch in {values['wall_s_min']:.2f} s "
            f"(median {values['wall_s_median']:.2f})"
        )


if __name__ == "__main__":
    main()
