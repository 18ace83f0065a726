"""Starts the server from Python: `with Server(["--demo"]) as server: ...`, or `python -m sqlenv.server -- --demo`.

The server is a Node program. It is looked for in this order: the argument `program`, the environment variable
`SQLENV_PROGRAM`, `dist/src/main.js` of the checkout that this file lies in, and the command `sqlenv` on the path.
"""

from __future__ import annotations

import argparse
import atexit
import contextlib
import json
import logging
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType

from sqlenv.errors import ErrorReason, SqlEnvError
from sqlenv.sync import run
from sqlenv.transport import HEALTH_CHECK, HEALTH_SERVING, call

logger = logging.getLogger(__name__)

PROGRAM_VARIABLE = "SQLENV_PROGRAM"

SEMI_SPACE_MB = 64
"""Node's own is 16 MB: an episode's objects outlive its collections, and are copied at each."""

RESTART_PAUSE_S = 0.2
RESTART_COUNT_MAX = 5
"""Deaths within RESTART_WINDOW_S after which it is not started again."""
RESTART_WINDOW_S = 60.0


class ServerStartError(Exception):
    """The server can't be started; the message says why and what to do."""


def find_command(program: str | os.PathLike[str] | None = None, node: str | None = None) -> list[str]:
    """The command that runs the server, without its arguments. Raises ServerStartError."""
    given = program or os.environ.get(PROGRAM_VARIABLE)
    checkout = Path(__file__).resolve().parents[3] / "dist" / "src" / "main.js"
    if given:
        path = Path(given)
        if not path.is_file():
            raise ServerStartError(f"the server's program {path} is not there")
    elif checkout.is_file():
        path = checkout
    else:
        found = shutil.which("sqlenv")
        if found is None:
            raise ServerStartError(
                f"no server found: build it (npm ci, npm run build), or set {PROGRAM_VARIABLE} to its main.js"
            )
        return [found]
    if path.suffix not in (".js", ".mjs"):
        return [str(path)]
    interpreter = shutil.which(node or "node")
    if interpreter is None:
        raise ServerStartError(f"{node or 'node'} is not on the path; the server needs Node.js 20 or later")
    return [interpreter, str(path)]


class Server:
    """A server in a process of its own, restarted when it dies, on the same port.

    `arguments` are those of `sqlenv serve`, for example `["--demo", "--no-record"]`. `port` 0 takes any free one, which
    it then keeps. The log goes line by line to `on_log`, by default to stderr. `start` returns when the server is
    healthy: it has run a real query. An object can be started once.
    """

    def __init__(
        self,
        arguments: Sequence[str] = (),
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        program: str | os.PathLike[str] | None = None,
        node: str | None = None,
        restart: bool = True,
        start_s: float = 60.0,
        stop_s: float = 40.0,
        on_log: Callable[[str], None] | None = None,
    ) -> None:
        self._arguments = tuple(arguments)
        self._host = host
        self._port = port
        self._program = program
        self._node = node
        self._restart = restart
        self._start_s = start_s
        self._stop_s = stop_s
        self._on_log = on_log or _print_log
        self._process: subprocess.Popen[str] | None = None
        self._watchdog: subprocess.Popen[bytes] | None = None
        self._watcher: threading.Thread | None = None
        self._stopping = threading.Event()
        self._lock = threading.Lock()
        self._deaths: list[float] = []
        self._restart_count = 0
        self._exit_code: int | None = None

    @property
    def address(self) -> str:
        """`host:port`, once it is started."""
        return f"{self._host}:{self._port}"

    @property
    def process_id(self) -> int | None:
        """Of the running process; None between two of them."""
        process = self._process
        return process.pid if process is not None and process.poll() is None else None

    @property
    def restart_count(self) -> int:
        """How often it was started again."""
        return self._restart_count

    def start(self) -> Server:
        """Starts it and waits for its health. Raises ServerStartError."""
        if self._watcher is not None:
            raise ServerStartError("this server was started before")
        try:
            self._spawn()
            self._wait_healthy()
        except BaseException:
            self.stop()
            raise
        atexit.register(self.stop)
        self._watcher = threading.Thread(target=self._watch, name="sqlenv-server", daemon=True)
        self._watcher.start()
        return self

    def wait(self) -> int:
        """Waits until it has stopped for good; returns the last exit code, 0 after `stop`."""
        while self._watcher is not None and self._watcher.is_alive():
            self._watcher.join(timeout=0.5)
        return 0 if self._stopping.is_set() else (self._exit_code or 0)

    def stop(self) -> None:
        """Tells it to drain and waits; kills it if that takes longer than `stop_s`. Idempotent."""
        self._stopping.set()
        atexit.unregister(self.stop)
        with self._lock:
            process = self._process
        if process is not None:
            if process.poll() is None:
                process.terminate()
            try:
                process.wait(self._stop_s)
            except subprocess.TimeoutExpired:
                logger.warning("the server did not drain within %s s and is killed", self._stop_s)
                process.kill()
                process.wait()
        self._end_watchdog()
        if self._watcher is not None and self._watcher is not threading.current_thread():
            self._watcher.join()

    def __enter__(self) -> Server:
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()

    def _spawn(self) -> None:
        """Starts a process and reads its port. Raises ServerStartError."""
        command = find_command(self._program, self._node)
        flags = ["serve", "--json", "--host", self._host, "--port", str(self._port), *self._arguments]
        with self._lock:
            if self._stopping.is_set():
                return
            process = subprocess.Popen(
                [*command, *flags],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
                # Ctrl-C in a terminal reaches the whole group; it is for us to pass on, once.
                start_new_session=True,
                env=_environment(),
            )
            self._process = process
            self._watchdog = _start_watchdog(process.pid)
        last_lines: list[str] = []

        def read_log() -> None:
            assert process.stderr is not None
            for line in process.stderr:
                del last_lines[:-20]
                last_lines.append(line)
                with contextlib.suppress(Exception):
                    self._on_log(line.rstrip("\n"))

        reader = threading.Thread(target=read_log, name="sqlenv-log", daemon=True)
        reader.start()
        timer = threading.Timer(self._start_s, process.kill)
        timer.start()
        assert process.stdout is not None
        welcome = process.stdout.readline()
        timer.cancel()
        if not welcome:
            code = process.wait()
            reader.join(timeout=5)
            raise ServerStartError(f"the server ended with code {code} before it served:\n{''.join(last_lines)}")
        threading.Thread(target=process.stdout.read, name="sqlenv-stdout", daemon=True).start()
        self._port = int(str(json.loads(welcome)["address"]).rpartition(":")[2])

    def _end_watchdog(self) -> None:
        with self._lock:
            watchdog, self._watchdog = self._watchdog, None
        if watchdog is not None:
            watchdog.kill()
            watchdog.communicate()

    def _wait_healthy(self) -> None:
        """Waits for SERVING. Raises ServerStartError."""
        end = time.monotonic() + self._start_s
        problem = ""
        while time.monotonic() < end and not self._stopping.is_set():
            try:
                run(check_health(self.address, 5.0))
                return
            except SqlEnvError as error:
                problem = str(error)
            time.sleep(0.1)
        raise ServerStartError(f"the server was not healthy within {self._start_s} s: {problem}")

    def _watch(self) -> None:
        while True:
            process = self._process
            assert process is not None
            self._exit_code = process.wait()
            self._end_watchdog()
            if self._stopping.is_set() or not self._restart:
                return
            now = time.monotonic()
            self._deaths = [*(death for death in self._deaths if now - death < RESTART_WINDOW_S), now]
            if len(self._deaths) > RESTART_COUNT_MAX:
                logger.error("the server died %d times within %s s; giving up", len(self._deaths), RESTART_WINDOW_S)
                return
            logger.warning("the server died with code %s and is started again", self._exit_code)
            self._stopping.wait(RESTART_PAUSE_S * len(self._deaths))
            try:
                self._spawn()
                self._restart_count += 1
            except ServerStartError as error:
                # The process has ended, so the next round counts it as one more death.
                logger.error("%s", error)


async def check_health(address: str, deadline_s: float) -> None:
    """Asks the standard health service. Raises SqlEnvError unless it says SERVING."""
    if await call(address, HEALTH_CHECK, b"", deadline_s) != HEALTH_SERVING:
        raise SqlEnvError("UNAVAILABLE", ErrorReason.UNSPECIFIED, "the server is not serving", "Check", address)


def _environment() -> dict[str, str]:
    """This process's environment, with a larger young generation for Node: see docs/performance.md of the server."""
    options = os.environ.get("NODE_OPTIONS", "")
    if "semi-space" in options.replace("_", "-"):
        return dict(os.environ)
    return {**os.environ, "NODE_OPTIONS": f"{options} --max-semi-space-size={SEMI_SPACE_MB}".strip()}


def _start_watchdog(process_id: int) -> subprocess.Popen[bytes]:
    """Stops the server when this process has ended, however that came: then the pipe is at its end."""
    script = 'cat > /dev/null; kill -TERM "$0" 2> /dev/null'
    return subprocess.Popen(["/bin/sh", "-c", script, str(process_id)], stdin=subprocess.PIPE, start_new_session=True)


def _print_log(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """`python -m sqlenv.server [options] -- [flags of sqlenv serve]`; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m sqlenv.server",
        description="Starts the sqlenv server, waits for its health, restarts it when it dies, and stops it.",
        epilog="What follows -- is passed to `sqlenv serve`: python -m sqlenv.server --port 50051 -- --demo",
    )
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default %(default)s)")
    parser.add_argument("--port", type=int, default=50_051, help="port; 0 takes any free one (default %(default)s)")
    parser.add_argument("--program", help=f"the server's main.js (default: ${PROGRAM_VARIABLE}, then this checkout)")
    parser.add_argument("--node", help="the Node.js to run it with (default: node on the path)")
    parser.add_argument("--no-restart", action="store_true", help="end when the server dies")
    parser.add_argument("--start-s", type=float, default=300.0, help="seconds until it must be healthy")
    parser.add_argument("serve", nargs="*", help="flags of `sqlenv serve`, after --")
    options = parser.parse_args(arguments)
    server = Server(
        options.serve,
        host=options.host,
        port=options.port,
        program=options.program,
        node=options.node,
        restart=not options.no_restart,
        start_s=options.start_s,
    )

    def stop(_signal: int, _frame: object) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, stop)
    try:
        server.start()
        print(server.address, flush=True)
        return server.wait()
    except ServerStartError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 0
    finally:
        server.stop()


if __name__ == "__main__":
    sys.exit(main())
