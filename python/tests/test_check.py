"""The preflight."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sqlenv import SyncClient, Timing, check
from sqlenv.server import Server
from sqlenv.verl import dataset
from tests.conftest import StartServer
from tests.support.loops import DEPS
from tests.support.qwen import QwenTokenizer
from tests.support.workers import need_verl

EXAMPLES = Path(__file__).resolve().parents[1] / "examples" / "verl"


@pytest.fixture
def parquet(server: Server, tmp_path: Path) -> Path:
    assert dataset.main([server.address, "--out", str(tmp_path), "--split", "dev"]) == 0
    return tmp_path / "dev.parquet"


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str]:
    capsys.readouterr()
    code = check.main([str(argument) for argument in arguments])
    return code, capsys.readouterr().out


def test_all_is_well(server: Server, parquet: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out = run(capsys, server.address, "--parquet", parquet, "--tool-config", EXAMPLES / "tool.yaml")
    assert code == 0, out
    assert "0 failures, 0 warnings" in out
    assert "the gold earns 1, a wrong answer 0" in out
    assert "the tool is the server's, to the letter" in out
    assert "prompts are the server's" in out


def test_no_server(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check, "_TIMING", Timing(budget_s=0.3))
    code, out = run(capsys, "127.0.0.1:9")
    assert code == 1
    assert "FAIL  127.0.0.1:9 does not answer" in out
    assert run(capsys, "nonsense")[0] == 1


def test_servers_that_differ(server: Server, start_server: StartServer, capsys: pytest.CaptureFixture[str]) -> None:
    other = start_server("--split", "dev")
    code, out = run(capsys, server.address, other.address)
    assert code == 1
    assert "differ in catalog_sha256" in out


def test_agent_name_is_missing(server: Server, parquet: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = pq.read_table(parquet)
    pq.write_table(table.drop_columns(["agent_name"]), parquet)
    _, out = run(capsys, server.address, "--parquet", parquet)
    assert "warn  " in out
    assert "no tool is ever called" in out
    _, out = run(capsys, server.address, "--parquet", parquet, "--default-agent-loop", "sqlenv")
    assert "warn  " not in out


def test_rows_of_another_catalog(server: Server, parquet: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = pq.read_table(parquet).to_pylist()
    rows[0]["prompt"][0]["content"] = "another prompt"
    pq.write_table(pa.Table.from_pylist(rows, schema=dataset.arrow_schema()), parquet)
    code, out = run(capsys, server.address, "--parquet", parquet)
    assert code == 0
    assert "1 of 16 prompts are not the server's" in out or "1 of " in out
    rows[0]["extra_info"]["env"]["gold_sha256"] = "0" * 64
    pq.write_table(pa.Table.from_pylist(rows, schema=dataset.arrow_schema()), parquet)
    code, out = run(capsys, server.address, "--parquet", parquet)
    assert code == 1
    assert "TASK_MISMATCH" in out


def test_another_tool(server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = (EXAMPLES / "tool.yaml").read_text().replace("Execute a read-only", "Run a")
    (tmp_path / "tool.yaml").write_text(text)
    code, out = run(capsys, server.address, "--tool-config", tmp_path / "tool.yaml")
    assert code == 1
    assert "no tool equals the server's" in out


def test_tokens_of_a_prompt(server: Server) -> None:
    need_verl("0.9.1")
    tokenizer = QwenTokenizer(DEPS / "qwen2_5" / "models")
    client = SyncClient(server.address)
    task = next(client.tasks(include_messages=True))
    prompt = [{"role": message.role, "content": message.content} for message in task.messages]
    schema = client.info().tool_schema_json

    def render(messages: list[dict[str, str]], tools: list[dict[str, object]]) -> int:
        return len(tokenizer.apply_chat_template(messages, tools=tools, add_generation_prompt=True))

    # What the chat template adds for the tool.
    assert render(prompt, [json.loads(schema)]) - render(prompt, []) in range(140, 160)
    report = check.Report(write=lambda _: None)
    check.check_tokens(report, render, [prompt], schema, 4096)
    check.check_tokens(report, render, [prompt], schema, 100)
    assert [line[:5] for line in report.lines] == ["ok   ", "FAIL "]
    assert "1 of 1 are over data.max_prompt_length=100" in report.lines[1]
