"""A whole training step: 8 worker processes with 64 trajectories each, on verl's real loops."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from sqlenv import SyncClient
from sqlenv.server import Server
from tests.conftest import StartServer
from tests.support.workers import Outcome, Worker, answer, call, make_case

VERSION = "0.9.1"
WORKER_COUNT = 8
TRAJECTORY_COUNT = 64
WAIT_S = 1.0
"""Mean time that the scripted model takes for a turn: long enough for servers to die in mid-episode."""

SAME = ("prompt_ids", "response_ids", "response_mask", "num_turns", "reward_score", "tool_texts")


@pytest.fixture(scope="module")
def workers() -> Iterator[list[Worker]]:
    started = [Worker(VERSION) for _ in range(WORKER_COUNT)]
    yield started
    for worker in started:
        worker.close()


@pytest.fixture(scope="module")
def cases(server: Server) -> list[dict[str, Any]]:
    """64 trajectories over the demo's tasks, of 0 to 3 calls; two of three answer right."""
    tasks = list(SyncClient(server.address).tasks(include_gold=True, include_messages=True))
    made = []
    for number in range(TRAJECTORY_COUNT):
        task = tasks[number % len(tasks)]
        queries = ["SELECT count(*) FROM sqlite_master", task.gold_sql, "SELECT broken"][: number % 4]
        final = "SELECT 'not it', 1, 2, 3, 4, 5, 6, 7, 8" if number % 3 == 0 else task.gold_sql
        case = make_case([*map(call, queries), answer(final)], task_id=task.task_id, wait_s=WAIT_S)
        case["prompt"] = [{"role": message.role, "content": message.content} for message in task.messages]
        case["expected_reward"] = 0.0 if number % 3 == 0 else 1.0
        made.append(case)
    return made


def run_step(
    workers: list[Worker], cases: list[dict[str, Any]], address: str, meanwhile: Callable[[], None] = lambda: None
) -> list[Outcome]:
    """All trajectories of all workers at once; `meanwhile` runs in a thread once they have begun."""
    for worker in workers:
        worker.send({"options": {"address": address, "on_env_failure": "raise"}, "cases": cases})
    disturber = threading.Thread(target=meanwhile)
    disturber.start()
    outcomes = [outcome for worker in workers for outcome in worker.receive()["outcomes"]]
    disturber.join()
    return outcomes


@pytest.fixture(scope="module")
def undisturbed(workers: list[Worker], cases: list[dict[str, Any]], server: Server) -> list[Outcome]:
    return run_step(workers, cases, server.address)


def check_same(outcomes: list[Outcome], expected: list[Outcome]) -> None:
    assert len(outcomes) == WORKER_COUNT * TRAJECTORY_COUNT
    assert [outcome.get("message") for outcome in outcomes if "error" in outcome] == []
    for outcome, other in zip(outcomes, expected, strict=True):
        for key in SAME:
            assert outcome[key] == other[key], key


def replays(outcomes: list[Outcome]) -> int:
    return sum(outcome["reward_extra_info"]["env_replays"] for outcome in outcomes)


def test_all_finish_with_the_scripted_rewards(undisturbed: list[Outcome], cases: list[dict[str, Any]]) -> None:
    assert [outcome.get("message") for outcome in undisturbed if "error" in outcome] == []
    rewards = [outcome["reward_score"] for outcome in undisturbed]
    assert rewards == [case["expected_reward"] for case in cases] * WORKER_COUNT
    assert replays(undisturbed) == 0


def test_no_difference_when_the_server_is_killed_twice(
    workers: list[Worker], cases: list[dict[str, Any]], undisturbed: list[Outcome], start_server: StartServer
) -> None:
    steps = StepCounter()
    server = start_server("--log-level", "debug", on_log=steps)

    def kill_twice() -> None:
        for _ in range(2):
            steps.wait_for(200)
            kill(server)
            steps.count = 0

    outcomes = run_step(workers, cases, server.address, kill_twice)
    assert server.restart_count == 2
    check_same(outcomes, undisturbed)
    assert replays(outcomes) > 20


def test_no_difference_when_one_of_two_servers_dies_for_good(
    workers: list[Worker], cases: list[dict[str, Any]], undisturbed: list[Outcome], start_server: StartServer
) -> None:
    steps = StepCounter()
    servers = [start_server("--log-level", "debug", on_log=steps, restart=False), start_server(restart=False)]
    seen: list[int] = []

    def kill_one() -> None:
        steps.wait_for(150)
        seen.extend(SyncClient(server.address).info().episode_count for server in servers)
        kill(servers[0])

    outcomes = run_step(workers, cases, ",".join(server.address for server in servers), kill_one)
    check_same(outcomes, undisturbed)
    assert replays(outcomes) > 20
    # Spread evenly: when one was killed, both had about as many episodes.
    assert min(seen) > 0.35 * sum(seen), seen


class StepCounter:
    """Counts the steps in a server's log, so that it is killed in the midst of them, however slow the machine is."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, line: str) -> None:
        self.count += '"msg":"step"' in line

    def wait_for(self, count: int, seconds: float = 60.0) -> None:
        """Returns once there are as many; fails after a time that no test should take."""
        end = time.monotonic() + seconds
        while self.count < count:
            assert time.monotonic() < end
            time.sleep(0.005)


def kill(server: Server) -> None:
    """SIGKILL."""
    assert server.process_id is not None
    os.kill(server.process_id, signal.SIGKILL)
