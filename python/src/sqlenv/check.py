"""Preflight: what a trainer's owner runs before renting GPUs.

    python -m sqlenv.check 127.0.0.1:50051 --parquet data/train.parquet --tool-config tool.yaml \\
        --tokenizer Qwen2.5-3B-Instruct --max-prompt-length 4096

Says, line by line, what is well (`ok`), what may be wrong (`warn`) and what will fail (`FAIL`), and what to change.
Exit code 0 if nothing fails.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlenv.addresses import parse_addresses, resolve
from sqlenv.client import Client
from sqlenv.errors import SqlEnvError
from sqlenv.retry import Timing
from sqlenv.server import check_health
from sqlenv.v1 import environment_service_pb2 as service_pb2
from sqlenv.v1 import episode_pb2, task_pb2

ROUND_TRIP_COUNT = 100
PROMPT_COUNT_MAX = 16
"""Rows of each parquet file whose prompts are compared with the server's."""

WRONG_SQL = "SELECT 'a wrong answer', 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15"

_TIMING = Timing(budget_s=20.0)
_SINGLE_TURN = "verl then runs single_turn_agent: no tool is ever called, and nothing says so"


@dataclass
class Report:
    """What was found, printed as it comes."""

    write: Callable[[str], None] = print
    failure_count: int = 0
    warning_count: int = 0
    lines: list[str] = field(default_factory=list)

    def ok(self, text: str) -> None:
        """All is well."""
        self._add("ok   ", text)

    def warn(self, text: str) -> None:
        """It may be meant so."""
        self.warning_count += 1
        self._add("warn ", text)

    def fail(self, text: str) -> None:
        """Training would fail, or learn from wrong rewards."""
        self.failure_count += 1
        self._add("FAIL ", text)

    def _add(self, kind: str, text: str) -> None:
        self.lines.append(f"{kind} {text}")
        self.write(self.lines[-1])


async def check_servers(report: Report, addresses: str | Sequence[str]) -> service_pb2.GetInfoResponse | None:
    """Checks each server alone, and that they are alike. Returns what the first one that answers says of itself."""
    infos: dict[str, service_pb2.GetInfoResponse] = {}
    for address in parse_addresses(addresses):
        for server in await resolve(address):
            info = await _check_server(report, server)
            if info is not None:
                infos[server] = info
    if not infos:
        return None
    first_server, first = next(iter(infos.items()))
    for server, info in infos.items():
        for name in ("catalog_sha256", "engine_sha256", "tool_schema_json", "version"):
            if getattr(info, name) != getattr(first, name):
                report.fail(
                    f"{server} and {first_server} differ in {name}: an episode can't move between them; "
                    "run the same version with the same tasks on both"
                )
    return first


async def _check_server(report: Report, server: str) -> service_pb2.GetInfoResponse | None:
    client = Client(server, _TIMING)
    try:
        info = await client.info()
        await check_health(server, _TIMING.info_s)
    except SqlEnvError as error:
        report.fail(f"{server} does not answer: {error}; is the server running, and reachable from this machine?")
        return None
    report.ok(
        f"{server}: version {info.version}, SQLite {info.sqlite_version}, {info.task_count} tasks in "
        f"{info.database_count} databases, episodes {info.episode_count} of {info.episode_count_max}"
    )
    if info.draining:
        report.fail(f"{server} is shutting down and takes no episodes")
    if info.lost_worker_count:
        report.warn(f"{server} has lost {info.lost_worker_count} workers since its start; its log says why")
    if info.task_count:
        await _check_canary(report, client, server)
    else:
        report.warn(f"{server} has no tasks: rows must bring their own gold, and no canary can be run")
    await _check_latency(report, client, server)
    return info


async def _check_canary(report: Report, client: Client, server: str) -> None:
    """Plays one episode that must earn 1, and one that must earn 0."""
    try:
        task = await anext(client.tasks(include_gold=True, page_size=1))
        right = await _play(client, task, task.gold_sql)
        wrong = await _play(client, task, WRONG_SQL)
    except SqlEnvError as error:
        report.fail(f"{server}: the canary episode failed: {error}")
        return
    if right == 1.0 and wrong == 0.0:
        report.ok(f"{server}: canary {task.task_id}: the gold earns 1, a wrong answer 0")
    else:
        report.fail(f"{server}: canary {task.task_id}: the gold earns {right}, a wrong answer {wrong}; do not train")


async def _play(client: Client, task: task_pb2.Task, sql: str) -> float:
    async with client.episode(task.task_id, mode=episode_pb2.EPISODE_MODE_EVAL) as episode:
        await episode.call_tool("run_sql", '{"query": "SELECT 1"}')
        return (await episode.finish(f"```sql\n{sql}\n```")).grade.reward


async def _check_latency(report: Report, client: Client, server: str) -> None:
    """Measures round trips of a call that does next to nothing."""
    seconds = []
    for _ in range(ROUND_TRIP_COUNT):
        start = time.perf_counter()
        await client.info()
        seconds.append(time.perf_counter() - start)
    percentiles = statistics.quantiles(seconds, n=100)
    text = f"{server}: round trip {percentiles[49] * 1000:.1f} ms median, {percentiles[98] * 1000:.1f} ms p99"
    if percentiles[98] > 0.1:
        report.warn(f"{text}: slow; run the server on the trainer's node")
    else:
        report.ok(text)


def check_tool_config(report: Report, path: Path, tool_schema_json: str) -> None:
    """Compares the tool yaml, from which verl writes the tool into the prompt, with the server's tool."""
    try:
        import yaml
    except ImportError:
        report.warn(f"{path} is not compared with the server's tool: pip install PyYAML")
        return
    wanted = json.loads(tool_schema_json)
    try:
        tools = [tool["tool_schema"] for tool in yaml.safe_load(path.read_text(encoding="utf-8"))["tools"]]
    except (OSError, KeyError, TypeError, yaml.YAMLError) as error:
        report.fail(f"{path} is not a tool yaml of verl: {error!r}")
        return
    if wanted in tools:
        report.ok(f"{path}: the tool is the server's, to the letter")
    else:
        report.fail(f"{path}: no tool equals the server's, so the model would be told of another. It must be: {wanted}")


async def check_parquet(
    report: Report, path: Path, client: Client, agent_names: Sequence[str], default_agent_loop: str
) -> list[list[dict[str, str]]]:
    """Checks the rows of a data set; returns their prompts."""
    try:
        import pyarrow.parquet as pq
    except ImportError:
        report.warn(f"{path} is not read: pip install 'sqlenv[data]'")
        return []
    rows: list[dict[str, Any]] = pq.read_table(path).to_pylist()
    if not rows:
        report.fail(f"{path} has no rows")
        return []
    _check_agent_names(report, path, rows, agent_names, default_agent_loop)
    missing = [name for name in ("prompt", "data_source", "reward_model", "extra_info") if name not in rows[0]]
    if missing:
        report.fail(f"{path} lacks the columns {', '.join(missing)}; write it with python -m sqlenv.verl.dataset")
        return []
    step = max(1, len(rows) // PROMPT_COUNT_MAX)
    await _check_rows(report, path, rows[::step][:PROMPT_COUNT_MAX], client)
    return [row["prompt"] for row in rows]


def _check_agent_names(
    report: Report, path: Path, rows: list[dict[str, Any]], known: Sequence[str], default_agent_loop: str
) -> None:
    names = {row.get("agent_name") for row in rows}
    if names <= {None, ""}:
        if default_agent_loop:
            report.ok(f"{path}: no agent_name; rollout.agent.default_agent_loop={default_agent_loop} decides")
        else:
            report.warn(
                f"{path}: agent_name is missing and no default loop was named: {_SINGLE_TURN}. Add the column, or set "
                "rollout.agent.default_agent_loop (and name it here with --default-agent-loop)"
            )
    elif not names <= set(known):
        report.warn(f"{path}: agent_name is {sorted(map(str, names))}; known here are {sorted(known)}")
    else:
        report.ok(f"{path}: {len(rows)} rows, agent_name {', '.join(sorted(map(str, names)))}")


async def _check_rows(report: Report, path: Path, rows: list[dict[str, Any]], client: Client) -> None:
    from sqlenv.verl.rows import task_of_row

    differing = 0
    for row in rows:
        prompt = [(message["role"], message["content"]) for message in row["prompt"]]
        try:
            task = task_of_row(row["extra_info"], (row["reward_model"] or {}).get("ground_truth"), row["prompt"])
            async with client.episode(
                task.task_id, inline_task=task.inline_task, gold_sha256=task.gold_sha256
            ) as episode:
                opened = [(message.role, message.content) for message in episode.opened.messages]
        except (SqlEnvError, ValueError) as error:
            report.fail(f"{path}: a row's task can't be opened: {error}")
            return
        differing += opened != prompt
    if differing:
        report.warn(f"{path}: {differing} of {len(rows)} prompts are not the server's; write it anew if not meant so")
    else:
        report.ok(f"{path}: {len(rows)} tasks open, and their prompts are the server's")


def check_tokens(
    report: Report,
    render: Callable[[list[dict[str, str]], list[dict[str, Any]]], int],
    prompts: list[list[dict[str, str]]],
    tool_schema_json: str,
    max_prompt_length: int,
) -> None:
    """Counts the tokens of prompts with the tool, as the model's chat template renders them."""
    tools = [json.loads(tool_schema_json)]
    counts = sorted(render(prompt, tools) for prompt in prompts)
    over = sum(count > max_prompt_length for count in counts)
    text = f"prompts take {counts[0]} to {counts[-1]} tokens, the tool included"
    if over:
        report.fail(
            f"{text}: {over} of {len(counts)} are over data.max_prompt_length={max_prompt_length} and would lose the "
            "start of their schema; raise it, or set data.filter_overlong_prompts=True"
        )
    else:
        report.ok(f"{text}; data.max_prompt_length={max_prompt_length} holds them")


def load_renderer(name: str) -> Callable[[list[dict[str, str]], list[dict[str, Any]]], int]:
    """What counts the tokens of a rendered prompt: transformers' tokenizer of a name or folder. Raises ImportError."""
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(name)
    return lambda prompt, tools: len(
        tokenizer.encode(
            tokenizer.apply_chat_template(prompt, tools=tools, add_generation_prompt=True, tokenize=False),
            add_special_tokens=False,
        )
    )


async def run_checks(options: argparse.Namespace, report: Report) -> None:
    """Runs all that the options ask for."""
    info = await check_servers(report, options.address)
    if info is None:
        return
    client = Client(options.address, _TIMING)
    if options.tool_config:
        check_tool_config(report, options.tool_config, info.tool_schema_json)
    prompts: list[list[dict[str, str]]] = []
    for path in options.parquet:
        prompts += await check_parquet(report, path, client, options.agent_name, options.default_agent_loop)
    if not options.tokenizer:
        return
    if not prompts and info.task_count:
        task = await anext(client.tasks(include_messages=True, page_size=1))
        prompts = [[{"role": message.role, "content": message.content} for message in task.messages]]
    try:
        render = load_renderer(options.tokenizer)
    except (ImportError, OSError, ValueError) as error:
        report.warn(f"no prompt is rendered, for the tokenizer {options.tokenizer} can't be loaded: {error}")
        return
    check_tokens(report, render, prompts, info.tool_schema_json, options.max_prompt_length)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the preflight; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m sqlenv.check", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("address", nargs="+", help="host:port of the server, or of several")
    parser.add_argument("--parquet", type=Path, action="append", default=[], help="a data set of verl; may be repeated")
    parser.add_argument("--tool-config", type=Path, help="verl's tool yaml")
    parser.add_argument("--tokenizer", help="name or folder of the model's tokenizer (needs transformers)")
    parser.add_argument("--max-prompt-length", type=int, default=4096, help="data.max_prompt_length (default 4096)")
    parser.add_argument(
        "--agent-name",
        action="append",
        default=["sqlenv", "tool_agent"],
        help="a loop that your agent_loop.yaml names; may be repeated",
    )
    parser.add_argument("--default-agent-loop", default="", help="rollout.agent.default_agent_loop, if you set it")
    options = parser.parse_args(arguments)
    report = Report()
    try:
        asyncio.run(run_checks(options, report))
    except (SqlEnvError, ValueError, OSError) as error:
        report.fail(str(error))
    print(f"{report.failure_count} failures, {report.warning_count} warnings")
    return 1 if report.failure_count else 0


if __name__ == "__main__":
    sys.exit(main())
