"""The one exception of this package, and the reasons that a server gives."""

from __future__ import annotations

import enum


class ErrorReason(str, enum.Enum):
    """Why a call failed: the proto's `ErrorReason` without its prefix, and, last, one that only this client gives."""

    UNSPECIFIED = "UNSPECIFIED"
    INVALID_FIELD = "INVALID_FIELD"
    TASK_NOT_FOUND = "TASK_NOT_FOUND"
    DATABASE_NOT_FOUND = "DATABASE_NOT_FOUND"
    EPISODE_NOT_FOUND = "EPISODE_NOT_FOUND"
    EPISODE_ENDED = "EPISODE_ENDED"
    TASK_BROKEN = "TASK_BROKEN"
    TASK_MISMATCH = "TASK_MISMATCH"
    DATABASE_BROKEN = "DATABASE_BROKEN"
    EPISODE_ID_TAKEN = "EPISODE_ID_TAKEN"
    STEP_CONFLICT = "STEP_CONFLICT"
    OVERLOADED = "OVERLOADED"
    DRAINING = "DRAINING"
    WORKER_LOST = "WORKER_LOST"
    INTERNAL = "INTERNAL"
    REPLAY_MISMATCH = "REPLAY_MISMATCH"
    """Given by the client: a replayed action was not answered with the same bytes, so the servers differ."""

    @classmethod
    def parse(cls, text: str | None) -> ErrorReason:
        """The reason of this name; UNSPECIFIED for none, and for one that a newer server may have."""
        try:
            return cls(text)
        except ValueError:
            return cls.UNSPECIFIED


_CALLER_FAULT_CODES = frozenset({"INVALID_ARGUMENT", "UNIMPLEMENTED", "PERMISSION_DENIED", "UNAUTHENTICATED"})
_CALLER_FAULT_REASONS = frozenset(
    {
        ErrorReason.INVALID_FIELD,
        ErrorReason.TASK_NOT_FOUND,
        ErrorReason.DATABASE_NOT_FOUND,
        ErrorReason.TASK_MISMATCH,
        ErrorReason.EPISODE_ID_TAKEN,
    }
)


class SqlEnvError(Exception):
    """A call that failed. Never a mistake of the model: those are observations. It can be pickled.

    `code` is the gRPC status by name (`UNAVAILABLE`), `reason` the server's own reason, `details` its message, `method`
    and `address` what was called.
    """

    def __init__(
        self,
        code: str,
        reason: ErrorReason,
        details: str,
        method: str = "",
        address: str = "",
    ) -> None:
        super().__init__(code, reason, details, method, address)
        self.code = code
        self.reason = reason
        self.details = details
        self.method = method
        self.address = address

    def __str__(self) -> str:
        reason = "" if self.reason is ErrorReason.UNSPECIFIED else f" ({self.reason.value})"
        where = f" [{self.method} at {self.address}]" if self.method else ""
        return f"{self.code}{reason}: {self.details}{where}"

    @property
    def is_caller_fault(self) -> bool:
        """True if the request was wrong (a field, a task that is not there): trying again can't help."""
        return self.code in _CALLER_FAULT_CODES or self.reason in _CALLER_FAULT_REASONS

    @property
    def is_unreachable(self) -> bool:
        """True if the server did not get to answer: it is down, draining, or the connection broke."""
        # A server that is being stopped resets streams, which clients see as CANCELLED.
        return self.code in ("UNAVAILABLE", "CANCELLED")

    @property
    def is_overload(self) -> bool:
        """True if the server is full for now. A message over the size limit has the same code, and never fits."""
        return self.code == "RESOURCE_EXHAUSTED" and "larger than max" not in self.details

    @property
    def is_timeout(self) -> bool:
        """True if the deadline of the call passed."""
        return self.code == "DEADLINE_EXCEEDED"
