"""verl's real `ToolAgentLoop`, case by case: to the token what the stock loop does with a tool of the same text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from sqlenv.server import Server
from tests.support.workers import VERL_VERSIONS, Outcome, Worker, answer, call, make_case

GOLD = "SELECT count(DISTINCT kind) FROM products"


def tagged(text: str) -> str:
    return f"<tool_call>\n{text}\n</tool_call>"


def with_arguments(arguments: Any) -> str:
    return tagged(json.dumps({"name": "run_sql", "arguments": arguments}))


def turns_of(config: dict[str, Any]) -> dict[str, Any]:
    return {"config": {"multi_turn": config}}


LONG = "SELECT * FROM products"
CHOIR, PARCEL = "demo/choir_festival/01", "demo/parcel_lockers/01"
ONE, TWO = call("SELECT 1"), call("SELECT 2")
PARITY = (
    "text",
    "prompt_ids",
    "response_ids",
    "response_mask",
    "response_logprobs",
    "num_turns",
    "prompt_lengths",
    "steps",
)
CASES: dict[str, dict[str, Any]] = {
    "plain": make_case([f"Let me look. {call(LONG)}", answer(GOLD)]),
    "no call": make_case([answer(GOLD)]),
    "three calls": make_case([ONE, call("SELECT 2.0"), call("SELECT 'x', NULL"), answer(GOLD)]),
    "malformed json": make_case([tagged('{"name": "run_sql", "arguments": {"query": '), answer(GOLD)]),
    "no end tag": make_case(['<tool_call>\n{"name": "run_sql", "arguments": {"query": "SELECT 1"}}', answer(GOLD)]),
    "parameters for arguments": make_case([tagged('{"name": "run_sql", "parameters": {}}'), answer(GOLD)]),
    "name not a string": make_case([tagged('{"name": 7, "arguments": {"query": "SELECT 1"}}'), answer(GOLD)]),
    "name is a list": make_case([tagged('{"name": ["run_sql"], "arguments": {"query": "SELECT 1"}}'), answer(GOLD)]),
    "name is an object": make_case([tagged('{"name": {}, "arguments": {"query": "SELECT 1"}}'), answer(GOLD)]),
    "one bad, one good": make_case([tagged("nonsense") + ONE, answer(GOLD)]),
    "two good, one runs": make_case([ONE + TWO, answer(GOLD)]),
    "two good, two run": make_case([ONE + TWO, answer(GOLD)], **turns_of({"max_parallel_calls": 2})),
    "unknown tool": make_case([tagged('{"name": "runsql", "arguments": {"query": "SELECT 1"}}'), answer(GOLD)]),
    "arguments a string": make_case([with_arguments('{"query": "SELECT 1"}'), answer(GOLD)]),
    "arguments bare sql": make_case([with_arguments("SELECT 1"), answer(GOLD)]),
    "arguments a list": make_case([with_arguments(["SELECT 1"]), answer(GOLD)]),
    "arguments null": make_case([with_arguments(None), answer(GOLD)]),
    "query missing": make_case([with_arguments({}), answer(GOLD)]),
    "query null": make_case([with_arguments({"query": None}), answer(GOLD)], reference=False),
    "query a number": make_case([with_arguments({"query": 1}), answer(GOLD)], reference=False),
    "query a lone surrogate": make_case([with_arguments({"query": "SELECT '\ud800'"}), answer(GOLD)], reference=False),
    "sql error": make_case([call("SELECT nothing FROM nowhere"), answer(GOLD)]),
    "forbidden": make_case([call("DROP TABLE products"), answer(GOLD)], reference=False),
    "turn cap": make_case([ONE, TWO, call("SELECT 3"), answer(GOLD)], **turns_of({"max_assistant_turns": 3})),
    "user turn cap": make_case([ONE, TWO, answer(GOLD)], **turns_of({"max_user_turns": 1})),
    "budget gone in the first turn": make_case(["word " * 300 + ONE], config={"response_length": 100}),
    "observation over budget": make_case([call(LONG), answer(GOLD)], config={"response_length": 120}),
    "cut middle, odd": make_case([call(LONG), answer(GOLD)], **turns_of({"max_tool_response_length": 101})),
    "cut left": make_case([call(LONG), answer(GOLD)], **turns_of({"tool_response_truncate_side": "left"})),
    "cut right": make_case([call(LONG), answer(GOLD)], **turns_of({"tool_response_truncate_side": "right"})),
    "one over the cut": make_case([call(f"SELECT '{'x' * 230}' AS a"), answer(GOLD)]),
    "many scripts": make_case([call("SELECT * FROM choirs"), answer("SELECT 1")], task_id=CHOIR),
    "blobs and big integers": make_case([call("SELECT * FROM parcels LIMIT 2"), answer("SELECT 1")], task_id=PARCEL),
    "empty result": make_case([call("SELECT * FROM appeals"), answer("SELECT 1")], task_id=CHOIR),
    "twenty calls": make_case([ONE] * 20 + [answer(GOLD)], **turns_of({"max_assistant_turns": 30})),
    "seven invalid calls": make_case([with_arguments([])] * 7 + [answer(GOLD)], **turns_of({"max_assistant_turns": 9})),
    "template in the text": make_case([call("SELECT '</tool_response><|im_end|>' AS a"), answer(GOLD)]),
}  # fmt: skip

ENDS_AT_ONCE = (
    *("malformed json", "no end tag", "parameters for arguments"),
    *("name not a string", "name is a list", "name is an object"),
)


class Golden:
    """The outcomes of all cases on one version: our loop's, and the stock loop's with the reference tool."""

    def __init__(self, version: str, address: str) -> None:
        worker = Worker(version)
        try:
            env = worker.run(
                {"options": {"address": address, "on_env_failure": "raise"}, "cases": list(CASES.values())}
            )
            stock = [
                {**case, "loop": "stock", "texts": outcome.get("tool_texts", [])}
                for case, outcome in zip(CASES.values(), env, strict=True)
            ]
            self.env = dict(zip(CASES, env, strict=True))
            self.stock = dict(zip(CASES, worker.run({"cases": stock}), strict=True))
        finally:
            worker.close()
        self.is_old = version.startswith("0.7.")


@pytest.fixture(scope="module", params=VERL_VERSIONS)
def golden(request: pytest.FixtureRequest, server: Server) -> Iterator[Golden]:
    yield Golden(request.param, server.address)


@pytest.mark.parametrize("name", CASES)
def test_same_tokens_as_the_stock_loop(golden: Golden, name: str) -> None:
    env, stock = golden.env[name], golden.stock[name]
    assert "error" not in env, env
    assert "error" not in stock, stock
    for key in PARITY:
        assert env[key] == stock[key], key
    assert len(env["response_logprobs"]) == len(env["response_ids"]) == len(env["response_mask"])


@pytest.mark.parametrize("name", CASES)
def test_reward_extra_info_has_the_same_keys_always(golden: Golden, name: str) -> None:
    info = golden.env[name]["reward_extra_info"]
    assert list(info) == [
        "acc",
        "env_tool_calls",
        "env_tool_errors",
        "env_invalid_calls",
        "env_verdict",
        "env_ms",
        "env_failed",
        "env_replays",
    ]
    assert info["env_failed"] == 0
    assert info["acc"] == golden.env[name]["reward_score"]


def info_of(outcome: Outcome, *keys: str) -> list[Any]:
    return [outcome["reward_extra_info"][key] for key in keys]


def test_caps_are_verls_alone(golden: Golden) -> None:
    """The server's own limits on steps and on invalid calls in a row must not come first."""
    twenty, seven = golden.env["twenty calls"], golden.env["seven invalid calls"]
    assert (len(twenty["tool_texts"]), twenty["reward_score"]) == (20, 1.0)
    assert (seven["reward_extra_info"]["env_invalid_calls"], seven["reward_score"]) == (7, 1.0)


def test_right_answer_earns_one(golden: Golden) -> None:
    for name in ("plain", "no call", "three calls", "sql error", "forbidden", "arguments a list", "unknown tool"):
        assert golden.env[name]["reward_score"] == 1.0, name


@pytest.mark.parametrize("name", ENDS_AT_ONCE)
def test_malformed_only_call_ends_the_trajectory_unseen(golden: Golden, name: str) -> None:
    outcome = golden.env[name]
    assert outcome["num_turns"] == 2
    assert outcome["tool_texts"] == []
    assert outcome["reward_score"] == 0.0
    assert info_of(outcome, "env_tool_calls", "env_invalid_calls") == [0, 1]


def test_of_several_calls_the_good_and_the_first_run(golden: Golden) -> None:
    assert golden.env["one bad, one good"]["tool_texts"] == ['{"columns": ["1"], "rows": [[1]]}']
    assert golden.env["two good, one runs"]["tool_texts"] == ['{"columns": ["1"], "rows": [[1]]}']
    both = golden.env["two good, two run"]
    assert both["tool_texts"] == ['{"columns": ["1"], "rows": [[1]]}', '{"columns": ["2"], "rows": [[2]]}']
    assert both["num_turns"] == 4
    assert info_of(golden.env["one bad, one good"], "env_invalid_calls") == [1]


def test_unknown_tool_is_answered_by_verl(golden: Golden) -> None:
    outcome = golden.env["unknown tool"]
    text = (
        "Error when executing tool: 'runsql'"
        if golden.is_old
        else "Unknown function 'runsql'. Available tools: ['run_sql']"
    )
    assert f"<tool_response>\n{text}\n</tool_response>" in outcome["text"]
    assert info_of(outcome, "env_tool_calls", "env_invalid_calls") == [0, 1]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("arguments a string", '{"columns": ["1"], "rows": [[1]]}'),
        ("arguments bare sql", "they must be an object with the string field 'query'"),
        ("arguments a list", "they must be an object with the string field 'query'"),
        ("arguments null", "they must be an object with the string field 'query'"),
        ("query missing", "the field 'query' is missing"),
        ("query null", "the field 'query' is missing"),
        ("query a number", "the field 'query' must be a string"),
        ("query a lone surrogate", "the field 'query' holds a lone surrogate"),
    ],
)
def test_arguments_of_every_shape(golden: Golden, name: str, text: str) -> None:
    outcome = golden.env[name]
    assert text in outcome["tool_texts"][0]
    ran = "rows" in text
    assert info_of(outcome, "env_tool_calls", "env_invalid_calls") == [1, 0 if ran else 1]


def test_at_a_cap_the_last_call_is_not_run_and_nothing_is_answered(golden: Golden) -> None:
    outcome = golden.env["turn cap"]
    assert len(outcome["tool_texts"]) == 2
    assert outcome["reward_score"] == 0.0
    assert len(golden.env["user turn cap"]["tool_texts"]) == 1
    assert golden.env["budget gone in the first turn"]["tool_texts"] == []


def test_a_call_whose_result_does_not_fit_was_run_all_the_same(golden: Golden) -> None:
    outcome = golden.env["observation over budget"]
    assert len(outcome["tool_texts"]) == 1
    assert 0 not in outcome["response_mask"]


def test_sides_of_the_cut_are_turned_round_in_the_old_version(golden: Golden) -> None:
    head, tail = ("cut left", "cut right") if golden.is_old else ("cut right", "cut left")
    assert golden.env[head]["tool_texts"][0].endswith("...(truncated)")
    assert golden.env[tail]["tool_texts"][0].startswith("(truncated)...")


def test_separator_before_the_tool_turn(golden: Golden) -> None:
    joint = "<|im_end|><|im_start|>user" if golden.is_old else "<|im_end|>\n<|im_start|>user"
    text = golden.env["plain"]["text"]
    assert f"</tool_call>{joint}" in text
    # What is not the model's, the separator included, is masked.
    turn = golden.env["plain"]
    observed = [token for token, bit in zip(turn["response_ids"], turn["response_mask"], strict=True) if not bit]
    assert len(observed) > 17


def test_tool_errors_are_counted(golden: Golden) -> None:
    for name in ("sql error", "forbidden"):
        assert info_of(golden.env[name], "env_tool_calls", "env_tool_errors", "env_invalid_calls") == [1, 1, 0], name
