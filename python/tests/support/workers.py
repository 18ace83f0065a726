"""Processes that run verl's loops, and the cases that they are given."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

import pytest

from sqlenv.transport import TRANSPORT_VARIABLE
from tests.support.loops import DEPS

PYTHON_DIR = Path(__file__).resolve().parents[2]
VERL_VERSIONS = ("0.7.1", "0.9.1")

RECEIVE_S = 120.0
"""Seconds after which a worker that says nothing is killed: no test may hang."""

Outcome = dict[str, Any]


def need_verl(version: str) -> None:
    """Skips the test, with the reason, if its dependencies were not fetched."""
    for path in (DEPS / f"verl-{version}" / "verl", DEPS / "qwen2_5" / "models" / "tokenizer.json"):
        if not path.exists():
            pytest.skip(f"NOT TESTED ON VERL: {path} is missing; run python/scripts/run_tests.sh")


class Worker:
    """One process with one version of verl. Jobs run one after the other, the cases of each all at once."""

    def __init__(self, version: str, transport: str = "auto") -> None:
        need_verl(version)
        self._log = tempfile.TemporaryFile(mode="w+")  # noqa: SIM115 - closed in close
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.loops", version],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            # A file, for nobody reads a pipe while it waits for an outcome.
            stderr=self._log,
            text=True,
            cwd=PYTHON_DIR,
            env={**os.environ, "PYTHONPATH": str(PYTHON_DIR / "src"), TRANSPORT_VARIABLE: transport},
        )
        self._is_ready = False

    def send(self, job: dict[str, Any]) -> None:
        """Starts a job; `receive` waits for its outcomes."""
        assert self._process.stdin is not None
        self._wait_ready()
        self._process.stdin.write(json.dumps(job) + "\n")
        self._process.stdin.flush()

    def receive(self) -> dict[str, Any]:
        """The outcomes of the job that was sent."""
        result: dict[str, Any] = json.loads(self._line())
        return result

    def run(self, job: dict[str, Any]) -> list[Outcome]:
        """Sends and receives."""
        self.send(job)
        outcomes: list[Outcome] = self.receive()["outcomes"]
        return outcomes

    def close(self) -> None:
        """Ends the process."""
        self._process.kill()
        self._process.communicate()
        self._log.close()

    def _wait_ready(self) -> None:
        if not self._is_ready:
            assert self._line() == "ready\n"
            self._is_ready = True

    def _line(self) -> str:
        assert self._process.stdout is not None
        watchdog = threading.Timer(RECEIVE_S, self._process.kill)
        watchdog.start()
        line = self._process.stdout.readline()
        watchdog.cancel()
        if not line:
            self._log.seek(0)
            pytest.fail(f"the worker ended, or was killed after {RECEIVE_S} s:\n{self._log.read()[-5000:]}")
        return line


def call(query: str) -> str:
    """A turn with one well-formed tool call."""
    return f"<tool_call>\n{json.dumps({'name': 'run_sql', 'arguments': {'query': query}})}\n</tool_call>"


def answer(sql: str) -> str:
    """A turn with a final answer."""
    return f"This is it.\n```sql\n{sql}\n```"


def make_case(turns: list[str], *, task_id: str = "demo/bakery_chain/01", **more: Any) -> dict[str, Any]:
    """A case on a demo task; its row is what verl passes on from a data set of ours."""
    database = task_id.split("/")[1]
    tools_kwargs = {"run_sql": {"create_kwargs": {"database_id": database}}}
    extra_info = {
        "split": "train",
        "index": 3,
        "env": {"task_id": task_id, "database_id": database, "gold_sha256": None},
        "tools_kwargs": tools_kwargs,
    }
    row = {
        "extra_info": extra_info,
        "tools_kwargs": tools_kwargs,
        "uid": "0f3c",
        "index": 3,
        "data_source": "sqlenv",
        "reward_model": {"style": "rule", "ground_truth": ""},
    }
    prompt = [{"role": "system", "content": "You are a SQL assistant."}, {"role": "user", "content": "How many?"}]
    return {"turns": turns, "prompt": prompt, "row": row, "database": database, **more}
