"""What happens to a trajectory when the environment, not the model, fails."""

from __future__ import annotations

from typing import Any

from sqlenv.errors import SqlEnvError

UNAVAILABLE_TEXT = "Tool error: environment unavailable"
"""All that a model ever reads of a failure of the environment; the agent loop masks or drops such a trajectory."""


class EnvAbort(BaseException):
    """Ends a trajectory from inside a tool; no `Exception`, since verl turns those of a tool into text for the model.

    Whoever runs the loop turns it back into `error`.
    """

    def __init__(self, error: SqlEnvError) -> None:
        super().__init__(error)
        self.error = error


def check_choice(name: str, value: str, allowed: tuple[str, ...]) -> str:
    """The value, if it is allowed. Raises ValueError."""
    if value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(allowed)}, not {value!r}")
    return value


def default_policy(trainer_config: Any) -> str:
    """`raise` under verl's V1 trainer, which drops the sample from its group; `neutral` under V0, which would die."""
    trainer = getattr(trainer_config, "trainer", None)
    return "raise" if getattr(trainer, "use_v1", False) else "neutral"
