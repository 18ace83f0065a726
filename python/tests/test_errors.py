"""The exception and the decision to try again."""

from __future__ import annotations

import pickle

import pytest

from sqlenv import ErrorReason, SqlEnvError, Timing
from sqlenv.retry import Budget
from sqlenv.v1 import error_pb2


def error_of(code: str, reason: ErrorReason = ErrorReason.UNSPECIFIED, details: str = "") -> SqlEnvError:
    return SqlEnvError(code, reason, details, "Step", "127.0.0.1:1")


def test_reasons_are_the_protos() -> None:
    names = [name.removeprefix("ERROR_REASON_") for name, _ in error_pb2.ErrorReason.items()]
    assert [reason.value for reason in ErrorReason] == [*names, "REPLAY_MISMATCH"]
    assert ErrorReason.parse("A_NEWER_ONE") is ErrorReason.parse(None) is ErrorReason.UNSPECIFIED


def test_pickled_with_all_it_says() -> None:
    error = error_of("NOT_FOUND", ErrorReason.EPISODE_NOT_FOUND, "no such episode")
    copy = pickle.loads(pickle.dumps(error))
    assert vars(copy) == vars(error)
    assert str(copy) == "NOT_FOUND (EPISODE_NOT_FOUND): no such episode [Step at 127.0.0.1:1]"


@pytest.mark.parametrize(
    "code", ["INTERNAL", "NOT_FOUND", "INVALID_ARGUMENT", "FAILED_PRECONDITION", "ABORTED", "UNKNOWN"]
)
def test_never_tried_again(code: str) -> None:
    assert Budget(Timing()).pause_s(error_of(code), elsewhere=True) is None


def test_unavailable_and_overload_are_tried_until_the_budget_is_used_up() -> None:
    budget = Budget(Timing(budget_s=0.2, backoff_first_s=0.1, backoff_max_s=0.4))
    pauses = []
    while (pause := budget.pause_s(error_of("UNAVAILABLE"), elsewhere=False)) is not None:
        pauses.append(pause)
    assert 0.05 <= pauses[0] <= 0.1
    assert all(pause <= 0.2 for pause in pauses)
    generous = Budget(Timing())
    assert generous.pause_s(error_of("RESOURCE_EXHAUSTED", ErrorReason.OVERLOADED), elsewhere=False) is not None
    assert generous.pause_s(error_of("UNAVAILABLE"), elsewhere=True) == 0.0


def test_a_message_that_is_too_large_never_fits() -> None:
    error = error_of("RESOURCE_EXHAUSTED", details="Sent message larger than max (5000000 vs. 4194304)")
    assert Budget(Timing()).pause_s(error, elsewhere=False) is None


def test_a_passed_deadline_is_tried_again_once() -> None:
    budget = Budget(Timing())
    assert budget.pause_s(error_of("DEADLINE_EXCEEDED"), elsewhere=False) is not None
    assert budget.pause_s(error_of("DEADLINE_EXCEEDED"), elsewhere=False) is None


@pytest.mark.parametrize("name", ["step_s", "budget_s"])
def test_every_deadline_is_positive(name: str) -> None:
    with pytest.raises(ValueError, match=name):
        Timing(**{name: 0.0})
