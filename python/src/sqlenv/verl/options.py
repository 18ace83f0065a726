"""Settings as they come from yaml, by way of hydra: lists and mappings of its own kinds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlenv.client import Client
from sqlenv.retry import Timing
from sqlenv.v1 import score_pb2

SCORING_SCOPES = ("last_turn", "transcript")


def make_client(address: Any, timing: Mapping[str, Any] | None, transport: str | None = None) -> Client:
    """A client from `address` (text or list), `timing` (names and seconds of `Timing`) and `transport`, as `Client`'s.

    Raises ValueError.
    """
    if not address:
        raise ValueError("address is missing: host:port of the sqlenv server, or a list of them")
    addresses: str | Sequence[str] = address if isinstance(address, str) else [str(item) for item in address]
    seconds = {str(name): float(value) for name, value in (timing or {}).items()}
    unknown = seconds.keys() - Timing.__dataclass_fields__.keys()
    if unknown:
        raise ValueError(f"timing: unknown {sorted(unknown)}; known are {sorted(Timing.__dataclass_fields__)}")
    return Client(addresses, Timing(**seconds), transport)


def score_options(scoring_scope: str, comparison_mode: str, guard: str) -> score_pb2.ScoreOptions:
    """How an answer becomes a reward; empty texts take the server's defaults. Raises ValueError."""
    scopes = {"last_turn": score_pb2.ANSWER_SCOPE_LAST_TURN, "transcript": score_pb2.ANSWER_SCOPE_TRANSCRIPT}
    guards = {
        "": score_pb2.REWARD_GUARD_UNSPECIFIED,
        "flag": score_pb2.REWARD_GUARD_FLAG,
        "strict": score_pb2.REWARD_GUARD_STRICT,
    }
    if guard not in guards:
        raise ValueError(f"guard must be flag or strict, not {guard!r}")
    return score_pb2.ScoreOptions(comparison_mode=comparison_mode, guard=guards[guard], scope=scopes[scoring_scope])
