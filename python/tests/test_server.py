"""The launcher."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from sqlenv import SyncClient
from sqlenv.server import Server, ServerStartError, find_command
from tests.conftest import FLAGS, PROGRAM, StartServer


def wait_until(holds: Callable[[], bool], seconds: float = 15.0) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)


def is_running(process_id: int) -> bool:
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{process_id}/stat")
    return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] != "Z"


def test_starts_streams_its_log_and_stops() -> None:
    lines: list[str] = []
    with Server(("--demo", "--no-record"), program=PROGRAM, on_log=lines.append) as server:
        process_id = server.process_id
        assert process_id is not None
        assert SyncClient(server.address).info().task_count > 0
        wait_until(lambda: any('"serving"' in line for line in lines))
    assert not is_running(process_id)
    assert server.process_id is None
    assert server.wait() == 0
    assert any('"stopped"' in line for line in lines)
    with pytest.raises(ServerStartError, match="before"):
        server.start()


def kill_and_wait(server: Server, restart_count: int) -> None:
    assert server.process_id is not None
    os.kill(server.process_id, signal.SIGKILL)
    wait_until(lambda: server.restart_count == restart_count)


def test_is_started_again_on_the_same_port(start_server: StartServer) -> None:
    server = start_server()
    address = server.address
    kill_and_wait(server, 1)
    kill_and_wait(server, 2)
    assert server.address == address
    assert SyncClient(address).info().task_count > 0


def test_is_not_started_again_if_told_so(start_server: StartServer) -> None:
    server = start_server(restart=False)
    assert server.process_id is not None
    os.kill(server.process_id, signal.SIGKILL)
    assert server.wait() == -signal.SIGKILL


def test_flags_that_are_wrong() -> None:
    with pytest.raises(ServerStartError, match="unknown option '--no-such'"):
        Server(("--no-such",), program=PROGRAM, on_log=lambda _: None).start()


def test_programs_that_are_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ServerStartError, match=r"nowhere\.js"):
        find_command("/nowhere.js")
    monkeypatch.setenv("SQLENV_PROGRAM", str(PROGRAM))
    assert find_command()[1] == str(PROGRAM)
    with pytest.raises(ServerStartError, match=r"Node\.js"):
        find_command(PROGRAM, node="no-such-node")


def start_command() -> tuple[subprocess.Popen[str], str]:
    process = subprocess.Popen(
        [sys.executable, "-m", "sqlenv.server", "--port", "0", "--program", str(PROGRAM), "--", *FLAGS],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    return process, process.stdout.readline().strip()


def test_the_command_stops_its_server_when_told_to() -> None:
    process, address = start_command()
    assert SyncClient(address).info().task_count > 0
    process.terminate()
    assert process.wait(20) == 0
    with pytest.raises(Exception, match="UNAVAILABLE"):
        from sqlenv import Timing

        SyncClient(address, Timing(budget_s=0.3)).info()


def test_no_server_outlives_a_launcher_that_was_killed() -> None:
    process, address = start_command()
    process.kill()
    process.wait()
    from sqlenv import SqlEnvError, Timing

    client = SyncClient(address, Timing(budget_s=0.2))

    def is_gone() -> bool:
        try:
            client.info()
        except SqlEnvError:
            return True
        return False

    wait_until(is_gone)
