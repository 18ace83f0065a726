"""Runs verl's real agent loops with a scripted model, in processes of their own: verl's versions exclude each other.

`python -m tests.support.loops VERSION` reads jobs, one JSON object a line, and writes the outcomes of each as one line.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import io
import json
import logging
import os
import pickle
import random
import signal
import sqlite3
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sqlenv.verl.failure import EnvAbort
from tests.support import stand_ins
from tests.support.qwen import QwenTokenizer

DEPS = Path(__file__).resolve().parents[2] / ".test-deps"
DATABASES = Path(__file__).resolve().parents[3] / "databases" / "build"

TOOL_SCHEMA = {
    "type": "function",
    "function": {
        "name": "run_sql",
        "description": "Execute a read-only SQL query and return the result rows.",
        "parameters": {
            "type": "object",
            "properties": {"query": {"type": "string", "description": "A single SQL SELECT statement."}},
            "required": ["query"],
        },
    },
}


class Config(dict[str, Any]):
    """A mapping with attribute access, as omegaconf's."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


def make_config(job: dict[str, Any]) -> Config:
    """The part of verl's configuration that the loops read."""
    multi_turn = Config(
        {
            "enable": True,
            "format": "hermes",
            "max_assistant_turns": 5,
            "max_user_turns": None,
            "max_parallel_calls": 1,
            "max_tool_response_length": 256,
            "tool_response_truncate_side": "middle",
            "tool_config_path": "tool.yaml",
            "interaction_config_path": None,
            "tokenization_sanity_check_mode": "disable",
            **job.get("multi_turn", {}),
        }
    )
    rollout = Config(
        prompt_length=4096,
        response_length=job.get("response_length", 2048),
        multi_turn=multi_turn,
        full_determinism=False,
    )
    data = Config(
        apply_chat_template_kwargs={}, mm_processor_kwargs={}, continuous_token=Config(enable=False, model_family="")
    )
    actor = Config(rollout=rollout, model=Config(path="", tokenizer_path=""))
    return Config(actor_rollout_ref=actor, data=data, trainer=Config(use_v1=job.get("use_v1", False)))


class ScriptedModel:
    """Says the given turns, one a call, after a short random wait."""

    def __init__(self, tokenizer: QwenTokenizer, case: dict[str, Any]) -> None:
        self._tokenizer = tokenizer
        self._turns = iter(case["turns"])
        self._wait_s = case.get("wait_s", 0.0)
        self._fails = case.get("fails", False)
        self.prompt_lengths: list[int] = []
        self.waited_s = 0.0

    async def generate(self, request_id: str, *, prompt_ids: list[int], **_: Any) -> Any:
        """One turn; the last one ends with the end-of-turn token, as every one does."""
        from verl.workers.rollout.replica import TokenOutput

        self.prompt_lengths.append(len(prompt_ids))
        if self._wait_s:
            start = time.monotonic()
            await asyncio.sleep(self._wait_s * random.uniform(0.5, 1.5))
            self.waited_s += time.monotonic() - start
        if self._fails:
            raise RuntimeError("the model failed")
        ids = self._tokenizer.encode(next(self._turns, "I have no more to say.") + "<|im_end|>")
        step = 7
        return TokenOutput(
            token_ids=ids,
            log_probs=[-0.5] * len(ids),
            extra_fields={"min_global_steps": step, "max_global_steps": step},
        )


class Bench:
    """One version of verl, ready to run trajectories."""

    def __init__(self, version: str) -> None:
        sys.path.insert(0, str(DEPS / f"verl-{version}"))
        stand_ins.install()
        import verl
        from verl.experimental.agent_loop import agent_loop, tool_agent_loop

        assert verl.__version__ == version, verl.__version__
        self.agent_loop = agent_loop
        self.tool_agent_loop = tool_agent_loop
        self.tokenizer = QwenTokenizer(DEPS / "qwen2_5" / "models")
        self.job: dict[str, Any] = {}
        self.config = make_config(self.job)

    def make_loop(self, loop_class: Any, tool: Any, model: Any, **options: Any) -> Any:
        """A loop as verl's worker makes it, with the constructor's keywords of this version."""
        wrap = self.agent_loop.DictConfigWrap
        arguments: dict[str, Any] = {
            "trainer_config": wrap(self.config),
            "server_manager": model,
            "tokenizer": self.tokenizer,
            "processor": None,
            "dataset_cls": None,
        }
        names = inspect.signature(self.agent_loop.AgentLoopBase.__init__).parameters
        if "data_config" in names:
            arguments["data_config"] = wrap(self.config.data)
        else:
            arguments["dataset_config"] = self.config.data
        if "hf_model_type" in names:
            arguments["hf_model_type"] = "qwen2"
        if hasattr(self.agent_loop, "ToolListWrap"):
            arguments["tools"] = self.agent_loop.ToolListWrap([tool])
        else:
            self.tool_agent_loop.initialize_tools_from_config = lambda _path: [tool]
        return loop_class(**arguments, **options)

    def tool(self, tool_class: Any, config: dict[str, Any] | None = None) -> Any:
        """A tool as verl's registry makes it."""
        from verl.tools.schemas import OpenAIFunctionToolSchema

        return tool_class(config or {"type": "native"}, OpenAIFunctionToolSchema.model_validate(TOOL_SCHEMA))

    async def run_case(self, case: dict[str, Any], loop_options: dict[str, Any]) -> dict[str, Any]:
        """One trajectory; returns what it gave, or its error."""
        await asyncio.sleep(case.get("start_s", 0.0) * random.random())
        # Nothing may wait between here and the making of the loop: the other cases have configurations of their own.
        self.config = make_config({**self.job, **case.get("config", {})})
        model = ScriptedModel(self.tokenizer, case)
        kind = case.get("loop", "env")
        start = time.monotonic()
        texts: list[str] = []
        try:
            loop = self._loop_of_kind(kind, model, case, loop_options, texts)
            output = await loop.run({}, raw_prompt=case["prompt"], **case.get("row", {}))
        except (Exception, EnvAbort) as error:  # the outcome of the case, whatever it is
            seconds = time.monotonic() - start
            return {"error": type(error).__name__, "message": str(error), "seconds": seconds}
        return {
            "prompt_ids": list(output.prompt_ids),
            "response_ids": list(output.response_ids),
            "response_mask": list(output.response_mask),
            "response_logprobs": output.response_logprobs,
            "num_turns": output.num_turns,
            "reward_score": output.reward_score,
            "reward_extra_info": output.extra_fields.get("reward_extra_info"),
            "steps": [output.extra_fields.get("min_global_steps"), output.extra_fields.get("max_global_steps")],
            "text": self.tokenizer.decode(output.response_ids),
            "solution": self.tokenizer.decode(output.response_ids, skip_special_tokens=True),
            "prompt_lengths": model.prompt_lengths,
            "tool_texts": texts,
            "seconds": time.monotonic() - start,
            "waited_s": model.waited_s,
        }

    def _loop_of_kind(
        self, kind: str, model: Any, case: dict[str, Any], options: dict[str, Any], texts: list[str]
    ) -> Any:
        stock = self.tool_agent_loop.ToolAgentLoop
        if kind == "env":
            from sqlenv.verl.agent_loop import SqlEnvAgentLoop
            from sqlenv.verl.tool import RunSqlTool

            loop = self.make_loop(SqlEnvAgentLoop, self.tool(RunSqlTool), model, name="sqlenv", **options)
            _record(loop, texts)
            return loop
        if kind == "tool":
            from sqlenv.verl.tool import RunSqlTool

            made = case.get("made_tool") or self.tool(RunSqlTool, {"type": "native", **case["tool_config"]})
            return self.make_loop(stock, made, model)
        return self.make_loop(stock, in_process_tool(self, case), model)


def _record(loop: Any, texts: list[str]) -> None:
    """Notes what the episode's tool says, before verl cuts it."""
    bound = loop._client.episode

    def episode(*args: Any, **kwargs: Any) -> Any:
        made = bound(*args, **kwargs)
        call_tool = made.call_tool

        async def noted(*a: Any, **k: Any) -> Any:
            response = await call_tool(*a, **k)
            texts.append(response.messages[0].content)
            return response

        made.call_tool = noted
        return made

    loop._client.episode = episode


def in_process_tool(bench: Bench, case: dict[str, Any]) -> Any:
    """The reference: Python's sqlite3 and json.dumps in the trainer's process, uncut; else the texts of the case."""
    from verl.tools.base_tool import BaseTool
    from verl.tools.schemas import ToolResponse

    given: Iterator[str] = iter(case.get("texts", []))

    class InProcessTool(BaseTool):  # type: ignore[misc, unused-ignore]
        async def execute(self, instance_id: str, parameters: Any, **_: Any) -> Any:
            recorded = next(given)
            if case.get("reference", True) and isinstance(parameters, dict) and "query" in parameters:
                return ToolResponse(text=run_sql(case["database"], parameters["query"])), 0.0, {}
            return ToolResponse(text=recorded), 0.0, {}

    return bench.tool(InProcessTool)


def run_sql(database: str, query: str) -> str:
    """What Python gives for a query: the reference of the observation's bytes."""
    path = DATABASES / database / f"{database}.sqlite"
    with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        try:
            cursor = connection.execute(query)
            columns = [column[0] for column in cursor.description or ()]
            rows = [[_cell(value) for value in row] for row in cursor.fetchall()]
        except (sqlite3.Error, sqlite3.Warning) as error:
            return json.dumps({"error": str(error)})
    return json.dumps({"columns": columns, "rows": rows})


def _cell(value: Any) -> Any:
    return value.hex() if isinstance(value, bytes) else value


async def run_job(bench: Bench, job: dict[str, Any]) -> dict[str, Any]:
    """Runs all cases at once; measures how late the event loop's own timers are meanwhile."""
    lateness: list[float] = []

    async def watch() -> None:
        while True:
            start = time.monotonic()
            await asyncio.sleep(0.01)
            lateness.append(time.monotonic() - start - 0.01)

    watcher = asyncio.ensure_future(watch())
    bench.job = job
    outcomes = await asyncio.gather(*(bench.run_case(case, job.get("options", {})) for case in job["cases"]))
    watcher.cancel()
    return {"outcomes": outcomes, "lateness_max_s": max(lateness, default=0.0)}


def run_in_processes(bench: Bench, job: dict[str, Any]) -> dict[str, Any]:
    """Runs a case here, with a tool that was pickled, and in a forked child after all that."""
    from sqlenv.verl.agent_loop import SqlEnvAgentLoop
    from sqlenv.verl.tool import RunSqlTool

    bench.job = job
    options = job["options"]
    (case,) = job["cases"]

    async def own_attributes() -> list[str]:
        """Names of what our loop adds to verl's; verl's own part holds the running event loop, which no pickle can."""
        model = ScriptedModel(bench.tokenizer, case)
        stock = bench.make_loop(bench.tool_agent_loop.ToolAgentLoop, bench.tool(RunSqlTool), model)
        loop = bench.make_loop(SqlEnvAgentLoop, bench.tool(RunSqlTool), model, **options)
        added = {name: value for name, value in vars(loop).items() if name not in vars(stock)}
        return sorted(pickle.loads(pickle.dumps(added)))

    async def with_pickled_tool() -> dict[str, Any]:
        tool = pickle.loads(pickle.dumps(bench.tool(RunSqlTool, {"type": "native", **case["tool_config"]})))
        return await bench.run_case({**case, "loop": "tool", "made_tool": tool}, {})

    outcome: dict[str, Any] = {
        "pickled": asyncio.run(own_attributes()),
        "parent": asyncio.run(bench.run_case(case, options)),
        "pickled_tool": asyncio.run(with_pickled_tool()),
    }
    reading, writing = os.pipe()
    process_id = os.fork()
    if process_id == 0:
        signal.alarm(30)
        os.write(writing, json.dumps(asyncio.run(bench.run_case(case, options))).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        outcome["child"] = json.loads(pipe.read())
    os.waitpid(process_id, 0)
    return outcome


def main() -> None:
    """Reads jobs, runs them, and writes their outcomes, until its input ends."""
    logging.basicConfig(level=logging.ERROR)
    # verl's tools print their schemas; what the test reads must be ours alone.
    out, sys.stdout = sys.stdout, io.StringIO()
    bench = Bench(sys.argv[1])
    print("ready", file=out, flush=True)
    for line in sys.stdin:
        job = json.loads(line)
        in_processes = job.get("kind") == "processes"
        outcome = run_in_processes(bench, job) if in_processes else asyncio.run(run_job(bench, job))
        print(json.dumps(outcome), file=out, flush=True)


if __name__ == "__main__":
    main()
