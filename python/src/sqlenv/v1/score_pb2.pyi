from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class QueryStatus(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    QUERY_STATUS_UNSPECIFIED: _ClassVar[QueryStatus]
    QUERY_STATUS_OK: _ClassVar[QueryStatus]
    QUERY_STATUS_SQL_ERROR: _ClassVar[QueryStatus]
    QUERY_STATUS_FORBIDDEN: _ClassVar[QueryStatus]
    QUERY_STATUS_TIME_LIMIT: _ClassVar[QueryStatus]
    QUERY_STATUS_TOO_BIG: _ClassVar[QueryStatus]
    QUERY_STATUS_UNPARSED: _ClassVar[QueryStatus]
    QUERY_STATUS_INVALID_ARGUMENTS: _ClassVar[QueryStatus]
    QUERY_STATUS_UNKNOWN_TOOL: _ClassVar[QueryStatus]

class TimeLimit(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TIME_LIMIT_UNSPECIFIED: _ClassVar[TimeLimit]
    TIME_LIMIT_CPU: _ClassVar[TimeLimit]
    TIME_LIMIT_WALL: _ClassVar[TimeLimit]

class Verdict(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    VERDICT_UNSPECIFIED: _ClassVar[Verdict]
    VERDICT_MATCH: _ClassVar[Verdict]
    VERDICT_MISMATCH: _ClassVar[Verdict]
    VERDICT_ANSWER_MISSING: _ClassVar[Verdict]
    VERDICT_ANSWER_SQL_ERROR: _ClassVar[Verdict]
    VERDICT_ANSWER_FORBIDDEN: _ClassVar[Verdict]
    VERDICT_ANSWER_TIME_LIMIT: _ClassVar[Verdict]
    VERDICT_ANSWER_TOO_BIG: _ClassVar[Verdict]

class ScoreFlag(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SCORE_FLAG_UNSPECIFIED: _ClassVar[ScoreFlag]
    SCORE_FLAG_BOTH_EMPTY: _ClassVar[ScoreFlag]
    SCORE_FLAG_GOLD_SCALAR: _ClassVar[ScoreFlag]
    SCORE_FLAG_ANSWER_TABLE_FREE: _ClassVar[ScoreFlag]
    SCORE_FLAG_ANSWER_CONSTANT: _ClassVar[ScoreFlag]
    SCORE_FLAG_GOLD_TIE: _ClassVar[ScoreFlag]
    SCORE_FLAG_GOLD_VOLATILE: _ClassVar[ScoreFlag]
    SCORE_FLAG_WALL_BACKSTOP: _ClassVar[ScoreFlag]

class RewardGuard(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    REWARD_GUARD_UNSPECIFIED: _ClassVar[RewardGuard]
    REWARD_GUARD_FLAG: _ClassVar[RewardGuard]
    REWARD_GUARD_STRICT: _ClassVar[RewardGuard]

class AnswerScope(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ANSWER_SCOPE_UNSPECIFIED: _ClassVar[AnswerScope]
    ANSWER_SCOPE_LAST_TURN: _ClassVar[AnswerScope]
    ANSWER_SCOPE_TRANSCRIPT: _ClassVar[AnswerScope]

class AnswerFallback(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ANSWER_FALLBACK_UNSPECIFIED: _ClassVar[AnswerFallback]
    ANSWER_FALLBACK_STATEMENT: _ClassVar[AnswerFallback]
    ANSWER_FALLBACK_NONE: _ClassVar[AnswerFallback]
QUERY_STATUS_UNSPECIFIED: QueryStatus
QUERY_STATUS_OK: QueryStatus
QUERY_STATUS_SQL_ERROR: QueryStatus
QUERY_STATUS_FORBIDDEN: QueryStatus
QUERY_STATUS_TIME_LIMIT: QueryStatus
QUERY_STATUS_TOO_BIG: QueryStatus
QUERY_STATUS_UNPARSED: QueryStatus
QUERY_STATUS_INVALID_ARGUMENTS: QueryStatus
QUERY_STATUS_UNKNOWN_TOOL: QueryStatus
TIME_LIMIT_UNSPECIFIED: TimeLimit
TIME_LIMIT_CPU: TimeLimit
TIME_LIMIT_WALL: TimeLimit
VERDICT_UNSPECIFIED: Verdict
VERDICT_MATCH: Verdict
VERDICT_MISMATCH: Verdict
VERDICT_ANSWER_MISSING: Verdict
VERDICT_ANSWER_SQL_ERROR: Verdict
VERDICT_ANSWER_FORBIDDEN: Verdict
VERDICT_ANSWER_TIME_LIMIT: Verdict
VERDICT_ANSWER_TOO_BIG: Verdict
SCORE_FLAG_UNSPECIFIED: ScoreFlag
SCORE_FLAG_BOTH_EMPTY: ScoreFlag
SCORE_FLAG_GOLD_SCALAR: ScoreFlag
SCORE_FLAG_ANSWER_TABLE_FREE: ScoreFlag
SCORE_FLAG_ANSWER_CONSTANT: ScoreFlag
SCORE_FLAG_GOLD_TIE: ScoreFlag
SCORE_FLAG_GOLD_VOLATILE: ScoreFlag
SCORE_FLAG_WALL_BACKSTOP: ScoreFlag
REWARD_GUARD_UNSPECIFIED: RewardGuard
REWARD_GUARD_FLAG: RewardGuard
REWARD_GUARD_STRICT: RewardGuard
ANSWER_SCOPE_UNSPECIFIED: AnswerScope
ANSWER_SCOPE_LAST_TURN: AnswerScope
ANSWER_SCOPE_TRANSCRIPT: AnswerScope
ANSWER_FALLBACK_UNSPECIFIED: AnswerFallback
ANSWER_FALLBACK_STATEMENT: AnswerFallback
ANSWER_FALLBACK_NONE: AnswerFallback

class QueryInfo(_message.Message):
    __slots__ = ("status", "sql", "row_count", "capped", "text_truncated", "text_size", "query_cpu_us", "query_us", "queue_us", "time_limit")
    STATUS_FIELD_NUMBER: _ClassVar[int]
    SQL_FIELD_NUMBER: _ClassVar[int]
    ROW_COUNT_FIELD_NUMBER: _ClassVar[int]
    CAPPED_FIELD_NUMBER: _ClassVar[int]
    TEXT_TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    TEXT_SIZE_FIELD_NUMBER: _ClassVar[int]
    QUERY_CPU_US_FIELD_NUMBER: _ClassVar[int]
    QUERY_US_FIELD_NUMBER: _ClassVar[int]
    QUEUE_US_FIELD_NUMBER: _ClassVar[int]
    TIME_LIMIT_FIELD_NUMBER: _ClassVar[int]
    status: QueryStatus
    sql: str
    row_count: int
    capped: bool
    text_truncated: bool
    text_size: int
    query_cpu_us: int
    query_us: int
    queue_us: int
    time_limit: TimeLimit
    def __init__(self, status: _Optional[_Union[QueryStatus, str]] = ..., sql: _Optional[str] = ..., row_count: _Optional[int] = ..., capped: bool = ..., text_truncated: bool = ..., text_size: _Optional[int] = ..., query_cpu_us: _Optional[int] = ..., query_us: _Optional[int] = ..., queue_us: _Optional[int] = ..., time_limit: _Optional[_Union[TimeLimit, str]] = ...) -> None: ...

class Grade(_message.Message):
    __slots__ = ("comparison_mode", "verdict", "matched", "reward", "flags", "answer_sql", "error_text", "answer_query", "gold_row_count")
    COMPARISON_MODE_FIELD_NUMBER: _ClassVar[int]
    VERDICT_FIELD_NUMBER: _ClassVar[int]
    MATCHED_FIELD_NUMBER: _ClassVar[int]
    REWARD_FIELD_NUMBER: _ClassVar[int]
    FLAGS_FIELD_NUMBER: _ClassVar[int]
    ANSWER_SQL_FIELD_NUMBER: _ClassVar[int]
    ERROR_TEXT_FIELD_NUMBER: _ClassVar[int]
    ANSWER_QUERY_FIELD_NUMBER: _ClassVar[int]
    GOLD_ROW_COUNT_FIELD_NUMBER: _ClassVar[int]
    comparison_mode: str
    verdict: Verdict
    matched: bool
    reward: float
    flags: _containers.RepeatedScalarFieldContainer[ScoreFlag]
    answer_sql: str
    error_text: str
    answer_query: QueryInfo
    gold_row_count: int
    def __init__(self, comparison_mode: _Optional[str] = ..., verdict: _Optional[_Union[Verdict, str]] = ..., matched: bool = ..., reward: _Optional[float] = ..., flags: _Optional[_Iterable[_Union[ScoreFlag, str]]] = ..., answer_sql: _Optional[str] = ..., error_text: _Optional[str] = ..., answer_query: _Optional[_Union[QueryInfo, _Mapping]] = ..., gold_row_count: _Optional[int] = ...) -> None: ...

class ScoreOptions(_message.Message):
    __slots__ = ("comparison_mode", "guard", "scope", "fallback")
    COMPARISON_MODE_FIELD_NUMBER: _ClassVar[int]
    GUARD_FIELD_NUMBER: _ClassVar[int]
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    FALLBACK_FIELD_NUMBER: _ClassVar[int]
    comparison_mode: str
    guard: RewardGuard
    scope: AnswerScope
    fallback: AnswerFallback
    def __init__(self, comparison_mode: _Optional[str] = ..., guard: _Optional[_Union[RewardGuard, str]] = ..., scope: _Optional[_Union[AnswerScope, str]] = ..., fallback: _Optional[_Union[AnswerFallback, str]] = ...) -> None: ...
