"""How long calls may take, and when they are made again."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass

from sqlenv.errors import SqlEnvError


@dataclass(frozen=True)
class Timing:
    """Deadlines of single attempts and the budget of a whole operation, all in seconds.

    An operation is what the caller awaits: `open`, one step, `close`. Its attempts, the pauses between them, and the
    replay on another server together take at most `budget_s`; no call is ever made without a deadline.
    """

    reset_s: float = 10.0
    step_s: float = 15.0
    """Over the server's wall-clock limit of a query (10 s by default), so that the server speaks first."""
    finish_s: float = 30.0
    score_s: float = 30.0
    info_s: float = 10.0
    close_s: float = 2.0
    """Closing is a courtesy: the server's lease ends an episode that nobody closes."""
    budget_s: float = 60.0
    backoff_first_s: float = 0.1
    backoff_max_s: float = 1.0

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not value > 0:
                raise ValueError(f"timing: {name} must be over 0 seconds, not {value!r}")


class Budget:
    """The time that one operation has left, and its pauses."""

    def __init__(self, timing: Timing) -> None:
        self._timing = timing
        self._end = time.monotonic() + timing.budget_s
        self._pause_count = 0
        self._timeout_count = 0

    @property
    def left_s(self) -> float:
        """Seconds left; never negative."""
        return max(0.0, self._end - time.monotonic())

    def deadline_s(self, attempt_s: float) -> float:
        """Seconds that an attempt may take: its own deadline, or what is left if that is less."""
        return min(attempt_s, max(self.left_s, 0.001))

    def pause_s(self, error: SqlEnvError, *, elsewhere: bool) -> float | None:
        """Seconds to wait before the next attempt after `error`, or None if there is to be no next one.

        `UNAVAILABLE` and `RESOURCE_EXHAUSTED` are tried again until the budget is used up. A deadline that passed is
        tried again once: a query that is slow on purpose must not hold a thread again and again. `INTERNAL` never:
        the server has said that nothing was scored, and the trainer decides. `elsewhere` says that another server
        takes the next attempt, so that there is nothing to wait for.
        """
        if error.is_timeout:
            self._timeout_count += 1
            if self._timeout_count > 1:
                return None
        elif not (error.is_unreachable or error.is_overload):
            return None
        pause = 0.0 if elsewhere else self._next_pause_s()
        return pause if pause < self.left_s else None

    def short_pause_s(self) -> float | None:
        """Seconds to wait before trying again at a server that is back; None if the budget is used up."""
        pause = self._timing.backoff_first_s * random.uniform(0.5, 1.0)
        return pause if pause < self.left_s else None

    def _next_pause_s(self) -> float:
        ceiling = min(self._timing.backoff_max_s, self._timing.backoff_first_s * 2.0**self._pause_count)
        self._pause_count = min(self._pause_count + 1, 30)
        # Full jitter would let half of 512 clients come back at once after a restart; half of it spreads them.
        return ceiling * random.uniform(0.5, 1.0)
