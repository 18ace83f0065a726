"""Calls on a stream: how they travel together, and what becomes of them when something breaks."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest

from sqlenv import Client, Episode, ErrorReason, SqlEnvError, SyncClient, Timing, close_connections, transport
from sqlenv.server import Server
from sqlenv.stream import CALL_COUNT_MAX, MESSAGE_BYTES_MAX, MESSAGE_BYTES_WANTED, Failure
from sqlenv.transport import CLOSE, RESET, STEP, TRANSPORT_VARIABLE
from sqlenv.v1 import environment_service_pb2 as service_pb2
from sqlenv.v1 import episode_pb2
from tests.conftest import StartServer
from tests.support.relay import Relay
from tests.support.scripts import SLOW, TASK, play

GOLD = "```sql\nSELECT count(DISTINCT kind) FROM products\n```"
WRONG = "```sql\nSELECT 'not it', 1, 2, 3\n```"
PYTHON_DIR = Path(__file__).resolve().parents[1]


def arguments(sql: str) -> str:
    """A tool call's arguments; the SQL has no quotes."""
    return f'{{"query": "{sql}"}}'


async def query(episode: Episode, sql: str) -> str:
    step = await episode.call_tool("run_sql", arguments(sql))
    return step.messages[0].content


async def answer(client: Client, text: str, sql: str = "SELECT 1") -> float:
    """An episode of one call and an answer; its reward."""
    async with client.episode(TASK) as episode:
        await query(episode, sql)
        return (await episode.finish(text)).reward


async def until(holds: Callable[[], bool], seconds: float = 20.0) -> None:
    """Waits for something that other threads or processes do."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        await asyncio.sleep(0.02)


def pending_count(address: str) -> int:
    """Calls of this process that are under way on the stream to a server."""
    return len(transport._connections.of(address)._stream._pending)


def is_open(address: str) -> bool:
    return transport._connections.of(address)._stream._current is not None


def kill(server: Server, how: signal.Signals) -> None:
    assert server.process_id is not None
    os.kill(server.process_id, how)


@pytest.fixture
def relay(server: Server) -> Iterator[Relay]:
    with Relay(server.address) as started:
        yield started
        close_connections()


# How calls travel


async def test_calls_of_one_turn_travel_together(relay: Relay) -> None:
    client = Client(relay.address)
    rewards = await asyncio.gather(*(answer(client, GOLD if n % 2 else WRONG) for n in range(200)))
    assert rewards == [0.0, 1.0] * 100
    counts = [len(message.calls) for message in relay.messages]
    assert sum(counts) == 600
    assert counts[0] == CALL_COUNT_MAX == max(counts)
    assert len(counts) < 100
    assert relay.methods == ["StreamSteps"]


async def test_calls_carry_their_deadlines_and_ids_of_their_own(relay: Relay) -> None:
    await answer(Client(relay.address, Timing(reset_s=7.5, step_s=8.25, finish_s=9.0)), GOLD)
    calls = [call for message in relay.messages for call in message.calls]
    assert [call.timeout_ms for call in calls] == [7_500, 8_250, 9_000]
    assert len({call.call_id for call in calls}) == 3


async def test_large_calls_are_split_over_messages(relay: Relay) -> None:
    client = Client(relay.address)
    huge = [f"{'x' * 990_000}\n{GOLD}"] * 6 + [f"{'é' * 150_000}\n{GOLD}"] * 6
    assert await asyncio.gather(*(answer(client, text) for text in huge)) == [1.0] * 12
    assert max(relay.message_sizes) < MESSAGE_BYTES_MAX
    pairs = list(zip(relay.messages, relay.message_sizes, strict=True))
    assert all(size <= MESSAGE_BYTES_WANTED for message, size in pairs if len(message.calls) > 1)
    assert sum(size > 990_000 for _, size in pairs) >= 6


async def test_a_call_that_no_message_holds_fails_alone(server: Server) -> None:
    errors = []
    for way in ("stream", "unary"):
        client = Client(server.address, transport=way)
        async with client.episode(TASK) as episode:
            other = asyncio.ensure_future(answer(client, GOLD, SLOW))
            await asyncio.sleep(0.1)
            with pytest.raises(SqlEnvError) as caught:
                await episode.call_tool("run_sql", "x" * 5_000_000)
            errors.append(caught.value)
            assert await other == 1.0
            assert (await episode.finish(GOLD)).reward == 1.0
            assert episode.replay_count == 0
    assert [error.code for error in errors] == ["RESOURCE_EXHAUSTED"] * 2
    assert all("larger than max" in error.details for error in errors)


async def test_a_thousand_episodes_at_once(server: Server) -> None:
    client = Client(server.address, transport="stream")
    assert await asyncio.gather(*(answer(client, GOLD) for _ in range(1_000))) == [1.0] * 1_000
    assert pending_count(server.address) == 0


def test_many_loops_in_many_threads(server: Server) -> None:
    client = Client(server.address, transport="stream")
    replay_counts: list[int] = []

    def run() -> None:
        for _ in range(5):
            replay_counts.append(asyncio.run(play(client, 12)))

    threads = [threading.Thread(target=run) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert replay_counts == [0] * 40
    assert pending_count(server.address) == 0


def test_a_loop_that_closes_in_mid_call_harms_no_other(server: Server) -> None:
    client = Client(server.address, transport="stream")
    loop = asyncio.new_event_loop()
    episode = client.episode(TASK)
    loop.run_until_complete(episode.open())
    task = loop.create_task(query(episode, SLOW))
    loop.run_until_complete(asyncio.sleep(0.2))
    # Nobody waits for the task, nor cancels it.
    task._log_destroy_pending = False  # type: ignore[attr-defined]
    loop.close()
    assert asyncio.run(play(client, 8)) == 0


# Errors


async def test_failures_are_those_of_unary_calls(server: Server) -> None:
    step = episode_pb2.StepRequest(step_index=0, final_text=GOLD)
    attempts: list[tuple[Any, Any]] = [
        (RESET, episode_pb2.ResetRequest(episode_id="a", task_id="no/such")),
        (RESET, episode_pb2.ResetRequest(episode_id="", task_id=TASK)),
        (RESET, episode_pb2.ResetRequest(episode_id="a", task_id=TASK, gold_sha256="0" * 64)),
        (STEP, episode_pb2.StepRequest(episode_id="no such episode", final_text=GOLD)),
        (STEP, step),
        (CLOSE, service_pb2.CloseRequest(episode_id="x" * 300)),
    ]

    async def fail(method: Any, request: Any, way: Any) -> dict[str, Any]:
        with pytest.raises(SqlEnvError) as caught:
            await transport.call(server.address, method, request, 10.0, way)
        return vars(caught.value)

    for method, request in attempts:
        assert await fail(method, request, "stream") == await fail(method, request, "unary")
    assert is_open(server.address)


async def test_a_server_without_streams_is_called_alone_for_good(server: Server) -> None:
    with Relay(server.address, grpc.StatusCode.UNIMPLEMENTED) as older:
        client = Client(older.address)
        assert await asyncio.gather(*(answer(client, GOLD) for _ in range(20))) == [1.0] * 20
        assert await answer(client, WRONG) == 0.0
        assert older.methods.count("StreamSteps") == 1
        assert older.methods.count("Reset") == 21
        with pytest.raises(SqlEnvError) as caught:
            await Client(older.address, transport="stream").episode(TASK).open()
        assert (caught.value.code, caught.value.is_caller_fault) == ("UNIMPLEMENTED", True)
        close_connections()


@pytest.mark.parametrize("status", [grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN])
async def test_a_stream_that_breaks_oddly_takes_no_call_with_it(server: Server, status: grpc.StatusCode) -> None:
    with Relay(server.address, status) as odd:
        assert await asyncio.gather(*(answer(Client(odd.address), GOLD) for _ in range(10))) == [1.0] * 10
        with pytest.raises(SqlEnvError, match="no streams here"):
            await Client(odd.address, transport="stream").episode(TASK).open()
        close_connections()


async def test_nothing_listens() -> None:
    errors = []
    for way in ("stream", "unary"):
        with pytest.raises(SqlEnvError) as caught:
            await Client("127.0.0.1:9", Timing(budget_s=0.4), transport=way).episode(TASK).open()
        errors.append((caught.value.code, caught.value.method))
    assert errors == [("UNAVAILABLE", "Reset")] * 2


def test_replies_that_make_no_sense_are_failures() -> None:
    from sqlenv.stream import _failure_of

    assert _failure_of(service_pb2.StreamedReply(call_id=1)).code == "INTERNAL"
    newer = service_pb2.StreamedReply(failure=service_pb2.CallFailure(status_code=99, message="?"))
    newer.failure.MergeFromString(b"\x10\xe7\x07")  # reason 999
    assert _failure_of(newer) == Failure("UNKNOWN", ErrorReason.UNSPECIFIED, "?")


# Deadlines and cancellation


async def test_a_stalled_server_hangs_no_call_and_the_stream_goes_on(start_server: StartServer) -> None:
    server = start_server()
    client = Client(server.address, transport="stream")
    episodes = [client.episode(TASK) for _ in range(100)]
    await asyncio.gather(*(episode.open() for episode in episodes))
    requests = [
        episode_pb2.StepRequest(episode_id=episode.episode_id, step_index=0, final_text=GOLD) for episode in episodes
    ]

    async def attempt(request: episode_pb2.StepRequest, deadline_s: float) -> episode_pb2.StepResponse:
        return await transport.call(server.address, STEP, request, deadline_s, "stream")

    kill(server, signal.SIGSTOP)
    start = time.monotonic()
    failed = await asyncio.gather(*(attempt(request, 0.3) for request in requests), return_exceptions=True)
    seconds = time.monotonic() - start
    assert {error.code for error in failed if isinstance(error, SqlEnvError)} == {"DEADLINE_EXCEEDED"}
    assert len([error for error in failed if isinstance(error, SqlEnvError)]) == 100
    assert 0.3 <= seconds < 3.0
    assert pending_count(server.address) == 0
    kill(server, signal.SIGCONT)
    # The late replies go nowhere, and what was done is not done again.
    answered = await asyncio.gather(*(attempt(request, 20.0) for request in requests))
    assert [response.reward for response in answered] == [1.0] * 100


async def test_the_server_gives_up_at_the_deadline(server: Server) -> None:
    client = Client(server.address, Timing(step_s=0.3, budget_s=5.0), transport="stream")
    async with client.episode(TASK) as episode:
        start = time.monotonic()
        with pytest.raises(SqlEnvError) as caught:
            await query(episode, SLOW)
        assert caught.value.code == "DEADLINE_EXCEEDED"
        assert time.monotonic() - start < 3.0
        # It was not taken, nor is it in the way.
        assert await query(episode, "SELECT 2") == '{"columns": ["2"], "rows": [[2]]}'


async def test_a_call_given_up_before_it_left_is_not_sent(relay: Relay) -> None:
    client = Client(relay.address)
    opening = asyncio.ensure_future(client.episode(TASK).open())
    # One turn for the task to begin; its call would leave in the next one.
    await asyncio.sleep(0)
    opening.cancel()
    assert await answer(client, GOLD) == 1.0
    assert sum(len(message.calls) for message in relay.messages) == 3


async def test_cancelled_trajectories_give_their_places_back(start_server: StartServer) -> None:
    client = Client(start_server().address, transport="stream")
    tasks = [asyncio.ensure_future(answer(client, GOLD, SLOW)) for _ in range(8)]
    await asyncio.sleep(0.4)
    for task in tasks:
        task.cancel()
    ended = await asyncio.gather(*tasks, return_exceptions=True)
    assert [type(error) for error in ended] == [asyncio.CancelledError] * 8
    assert (await client.info()).episode_count == 0
    assert pending_count(client.addresses[0]) == 0


@pytest.mark.usefixtures("both_transports")
async def test_another_step_after_a_cancelled_one(server: Server) -> None:
    """The cancelled one may have been taken: with its index used up, every other step was a STEP_CONFLICT."""
    async with Client(server.address).episode(TASK) as episode:
        first = await query(episode, "SELECT 1")
        for _ in range(2):
            cut_off = asyncio.ensure_future(query(episode, "SELECT 2"))
            # Long enough for it to be taken, too short for its reply to be read: this loop is not let run.
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            time.sleep(0.1)  # noqa: ASYNC251
            cut_off.cancel()
            with pytest.raises(asyncio.CancelledError):
                await cut_off
        assert await query(episode, "SELECT 3") == '{"columns": ["3"], "rows": [[3]]}'
        assert [step.step_index for _, step in episode._steps] == [0, 1]
        assert first == '{"columns": ["1"], "rows": [[1]]}'
        assert (await episode.finish(GOLD)).reward == 1.0


async def test_the_same_step_after_a_cancelled_one_is_not_taken_twice(relay: Relay) -> None:
    async with Client(relay.address).episode(TASK) as episode:
        cut_off = asyncio.ensure_future(query(episode, "SELECT random()"))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        while len(relay.messages) < 2:
            time.sleep(0.01)  # noqa: ASYNC251
        # Now the reply comes, and nobody reads it.
        time.sleep(0.2)  # noqa: ASYNC251
        cut_off.cancel()
        with pytest.raises(asyncio.CancelledError):
            await cut_off
        taken = await query(episode, "SELECT random()")
        steps = [call.step for message in relay.messages for call in message.calls if call.HasField("step")]
        assert len(steps) == 2
        assert steps[0] == steps[1]
        repeated = await transport.call(relay.address, STEP, steps[0], 10.0, "unary")
        assert repeated.messages[0].content == taken
        assert episode.replay_count == 0


# Slow readers


async def test_a_loop_that_is_busy_loses_nothing(server: Server) -> None:
    """Some 4 MB of replies come while nobody takes them."""
    client = Client(server.address, transport="stream")
    uncut = episode_pb2.ObservationOptions(text_size_max=0)
    episodes = [client.episode(TASK, observation=uncut) for _ in range(200)]
    await asyncio.gather(*(episode.open() for episode in episodes))
    sql = "SELECT printf('%.20000c', 'x')"
    asked = [asyncio.ensure_future(query(episode, sql)) for episode in episodes]
    await asyncio.sleep(0.01)
    time.sleep(1.0)  # noqa: ASYNC251 - that is the test
    texts = await asyncio.gather(*asked)
    assert len(set(texts)) == 1
    assert len(texts[0]) > 20_000
    await asyncio.gather(*(episode.close() for episode in episodes))


async def test_a_server_that_reads_late_gets_all(start_server: StartServer) -> None:
    server = start_server()
    client = Client(server.address, transport="stream")
    assert await answer(client, GOLD) == 1.0
    kill(server, signal.SIGSTOP)
    answers = [asyncio.ensure_future(_finish_huge(client)) for _ in range(12)]
    await asyncio.sleep(0.5)
    kill(server, signal.SIGCONT)
    assert await asyncio.gather(*answers) == [1.0] * 12


async def _finish_huge(client: Client) -> float:
    async with client.episode(TASK) as episode:
        await episode.call_tool("run_sql", f'{{"query": "SELECT 1", "more": "{"x" * 900_000}"}}')
        return (await episode.finish(f"{'x' * 900_000}\n{GOLD}")).reward


# Servers that go


async def test_a_server_killed_in_mid_batch_changes_no_reward(start_server: StartServer) -> None:
    servers = [start_server(restart=False), start_server(restart=False)]
    client = Client([server.address for server in servers], transport="stream")
    step_count = 0
    killed = asyncio.Event()

    async def trajectory(number: int) -> tuple[float, list[str], int]:
        nonlocal step_count
        async with client.episode(TASK) as episode:
            texts: list[str] = []
            for sql in ("SELECT * FROM products", f"SELECT {number}", "SELECT broken"):
                # Half of them stay for it: a server can be through with all of its own before.
                if number < 48 and len(texts) == 2:
                    await killed.wait()
                texts.append(await query(episode, sql))
                step_count += 1
                if step_count == 150:
                    kill(servers[0], signal.SIGKILL)
                    killed.set()
            reward = (await episode.finish(GOLD if number % 3 else WRONG)).reward
            return reward, texts, episode.replay_count

    outcomes = await asyncio.gather(*map(trajectory, range(96)))
    assert [reward for reward, _, _ in outcomes] == [1.0 if number % 3 else 0.0 for number in range(96)]
    assert [texts[1] for _, texts, _ in outcomes] == [
        f'{{"columns": ["{number}"], "rows": [[{number}]]}}' for number in range(96)
    ]
    assert len({texts[0] for _, texts, _ in outcomes}) == 1
    assert sum(replay_count for _, _, replay_count in outcomes) > 10
    assert is_open(servers[1].address)
    assert not is_open(servers[0].address)


async def test_a_server_that_drains_is_left_without_a_word(start_server: StartServer) -> None:
    draining = start_server("--drain-ms", "1500", restart=False)
    other = start_server(restart=False)
    client = Client([draining.address, other.address], transport="stream")
    episodes = [client.episode(TASK) for _ in range(12)]
    await asyncio.gather(*(episode.open() for episode in episodes))
    before = await asyncio.gather(*(query(episode, "SELECT * FROM products") for episode in episodes))
    there = [episode for episode in episodes if episode.server == draining.address]
    assert len(there) == 6
    kill(draining, signal.SIGTERM)
    # Open episodes may go on there, new ones find the other server.
    await until(lambda: SyncClient(draining.address).info().draining, 5.0)
    async with client.episode(TASK) as episode:
        assert episode.server == other.address
    assert await query(there[0], "SELECT 1") == '{"columns": ["1"], "rows": [[1]]}'
    assert there[0].replay_count == 0
    await until(lambda: draining.process_id is None)
    await until(lambda: not is_open(draining.address))
    assert await asyncio.gather(*(query(episode, "SELECT * FROM products") for episode in episodes)) == before
    assert [episode.replay_count for episode in there] == [1] * 6
    assert [(await episode.finish(GOLD)).reward for episode in episodes] == [1.0] * 12


# Threads and processes


def threads_of(act: Callable[[], None]) -> set[threading.Thread]:
    """Threads that are there after an act, once those that are about to end have ended."""
    before = set(threading.enumerate())
    act()
    end = time.monotonic() + 10
    while (left := set(threading.enumerate()) - before) and time.monotonic() < end:
        time.sleep(0.02)
    return left


def test_no_thread_is_left_after_closing(server: Server) -> None:
    close_connections()

    def play_and_close() -> None:
        assert asyncio.run(play(Client(server.address, transport="stream"), 8)) == 0
        assert "sqlenv-stream" in {thread.name for thread in threading.enumerate()}
        close_connections()
        close_connections()

    for _ in range(3):
        assert threads_of(play_and_close) == set()


async def test_closing_in_mid_call_is_survived(server: Server) -> None:
    client = Client(server.address, transport="stream")
    playing = asyncio.ensure_future(play(client, 50))
    await asyncio.sleep(0.05)
    close_connections()
    assert await playing >= 0


@pytest.mark.parametrize("way", ["stream", "unary"])
@pytest.mark.parametrize("script", ["fork_in_mid_call", "child_that_ends_by_itself", "end_in_mid_call"])
def test_in_a_process_of_its_own(server: Server, script: str, way: str) -> None:
    run_script(script, server.address, way)


def test_a_fork_hung_under_grpcs_own_support_for_forks(server: Server) -> None:
    """gRPC's handler stopped its threads first, and then a connection was never closed."""
    run_script("child_that_ends_by_itself", server.address, "stream", GRPC_ENABLE_FORK_SUPPORT="1")


def run_script(script: str, address: str, way: str, **variables: str) -> None:
    command = [sys.executable, "-W", "ignore", "-m", "tests.support.scripts", script, address, way]
    environment = {**os.environ, "PYTHONPATH": str(PYTHON_DIR / "src"), **variables}
    ended = subprocess.run(command, cwd=PYTHON_DIR, env=environment, capture_output=True, text=True, timeout=150)
    assert ended.returncode == 0, ended.stderr
    assert "Error" not in ended.stderr, ended.stderr


# The setting


def test_the_transport_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(TRANSPORT_VARIABLE, raising=False)
    assert Client("a:1").transport == "auto"
    assert SyncClient("a:1", transport="unary").client.transport == "unary"
    monkeypatch.setenv(TRANSPORT_VARIABLE, "stream")
    assert Client("a:1").transport == "stream"
    assert Client("a:1", transport="auto").transport == "auto"
    with pytest.raises(ValueError, match="auto, stream, unary, not 'quic'"):
        Client("a:1", transport="quic")
    monkeypatch.setenv(TRANSPORT_VARIABLE, "quic")
    with pytest.raises(ValueError, match="SQLENV_TRANSPORT"):
        Client("a:1")


async def test_unary_opens_no_stream(relay: Relay) -> None:
    assert await answer(Client(relay.address, transport="unary"), GOLD) == 1.0
    assert relay.methods == ["Reset", "Step", "Step"]
