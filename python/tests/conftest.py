"""The real server, started by the package's own launcher. It must have been built before."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sqlenv.server import Server
from sqlenv.transport import TRANSPORT_VARIABLE

PROGRAM = Path(__file__).resolve().parents[2] / "dist" / "src" / "main.js"
FLAGS = ("--demo", "--no-record", "--log-level", "warn")

StartServer = Callable[..., Server]


def pytest_sessionstart(session: pytest.Session) -> None:
    """Fails at once, and plainly, if the server was not built: these tests mean nothing without it."""
    if not PROGRAM.is_file():
        pytest.exit(f"{PROGRAM} is missing: build the server first (npm ci, npm run build)", returncode=1)


@pytest.fixture(params=["stream", "unary"])
def both_transports(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Runs the test on a stream, then with a call for each; returns which."""
    monkeypatch.setenv(TRANSPORT_VARIABLE, request.param)
    return str(request.param)


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """A server with the demo tasks, which no test stops or kills."""
    with Server(FLAGS, program=PROGRAM) as started:
        yield started


@pytest.fixture
def start_server() -> Iterator[StartServer]:
    """Starts servers that the test may do anything to."""
    servers: list[Server] = []

    def start(*flags: str, **options: Any) -> Server:
        started = Server((*FLAGS, *flags), program=PROGRAM, stop_s=3.0, **options).start()
        servers.append(started)
        return started

    yield start
    for started in servers:
        started.stop()
