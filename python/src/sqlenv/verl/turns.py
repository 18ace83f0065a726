"""The model's turns in a verl response, and the tool calls in them."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Sequence

_CALL = re.compile(r"<tool_call>(.*?)</tool_call>", re.DOTALL)

OBSERVATION_END = "</tool_response>\nassistant\n"
"""What stands before a turn that follows an observation in verl's `solution_str`: Qwen's, less the special tokens."""


def assistant_turns(response_ids: Sequence[int], response_mask: Sequence[int]) -> list[list[int]]:
    """The token ids of each turn of the model: the runs of 1 in the mask, in order."""
    turns: list[list[int]] = []
    previous = 0
    for token, bit in zip(response_ids, response_mask, strict=True):
        if bit:
            if not previous:
                turns.append([])
            turns[-1].append(token)
        previous = bit
    return turns


def last_turn(solution: str) -> str:
    """The last turn in verl's `solution_str`, which holds the observations, too."""
    return solution.rpartition(OBSERVATION_END)[2]


def invalid_call_count(text: str, tool_names: Collection[str]) -> int:
    """Tool calls of a turn that verl drops (not JSON, no name or arguments, no end tag) or answers itself."""
    if "<tool_call>" not in text:
        return 0
    if "</tool_call>" not in text:
        return 1
    return sum(not _is_valid(match, tool_names) for match in _CALL.findall(text))


def _is_valid(call_json: str, tool_names: Collection[str]) -> bool:
    try:
        call = json.loads(call_json)
    except (ValueError, RecursionError):
        return False
    if not isinstance(call, dict) or "arguments" not in call:
        return False
    name = call.get("name")
    return isinstance(name, str) and name in tool_names
