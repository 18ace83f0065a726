from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from typing import ClassVar as _ClassVar

DESCRIPTOR: _descriptor.FileDescriptor

class ErrorReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ERROR_REASON_UNSPECIFIED: _ClassVar[ErrorReason]
    ERROR_REASON_INVALID_FIELD: _ClassVar[ErrorReason]
    ERROR_REASON_TASK_NOT_FOUND: _ClassVar[ErrorReason]
    ERROR_REASON_DATABASE_NOT_FOUND: _ClassVar[ErrorReason]
    ERROR_REASON_EPISODE_NOT_FOUND: _ClassVar[ErrorReason]
    ERROR_REASON_EPISODE_ENDED: _ClassVar[ErrorReason]
    ERROR_REASON_TASK_BROKEN: _ClassVar[ErrorReason]
    ERROR_REASON_TASK_MISMATCH: _ClassVar[ErrorReason]
    ERROR_REASON_DATABASE_BROKEN: _ClassVar[ErrorReason]
    ERROR_REASON_EPISODE_ID_TAKEN: _ClassVar[ErrorReason]
    ERROR_REASON_STEP_CONFLICT: _ClassVar[ErrorReason]
    ERROR_REASON_OVERLOADED: _ClassVar[ErrorReason]
    ERROR_REASON_DRAINING: _ClassVar[ErrorReason]
    ERROR_REASON_WORKER_LOST: _ClassVar[ErrorReason]
    ERROR_REASON_INTERNAL: _ClassVar[ErrorReason]
ERROR_REASON_UNSPECIFIED: ErrorReason
ERROR_REASON_INVALID_FIELD: ErrorReason
ERROR_REASON_TASK_NOT_FOUND: ErrorReason
ERROR_REASON_DATABASE_NOT_FOUND: ErrorReason
ERROR_REASON_EPISODE_NOT_FOUND: ErrorReason
ERROR_REASON_EPISODE_ENDED: ErrorReason
ERROR_REASON_TASK_BROKEN: ErrorReason
ERROR_REASON_TASK_MISMATCH: ErrorReason
ERROR_REASON_DATABASE_BROKEN: ErrorReason
ERROR_REASON_EPISODE_ID_TAKEN: ErrorReason
ERROR_REASON_STEP_CONFLICT: ErrorReason
ERROR_REASON_OVERLOADED: ErrorReason
ERROR_REASON_DRAINING: ErrorReason
ERROR_REASON_WORKER_LOST: ErrorReason
ERROR_REASON_INTERNAL: ErrorReason
