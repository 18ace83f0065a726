from sqlenv.v1 import episode_pb2 as _episode_pb2
from sqlenv.v1 import error_pb2 as _error_pb2
from sqlenv.v1 import score_pb2 as _score_pb2
from sqlenv.v1 import task_pb2 as _task_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class GetInfoRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetInfoResponse(_message.Message):
    __slots__ = ("version", "sqlite_version", "engine_sha256", "catalog_sha256", "task_count", "database_count", "split_task_counts", "limits", "observation", "score", "comparison_modes", "tool_schema_json", "episode_count", "episode_count_max", "lease_ms", "draining", "queued_query_count", "running_query_count", "oldest_query_ms", "lost_worker_count")
    class SplitTaskCountsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: int
        def __init__(self, key: _Optional[str] = ..., value: _Optional[int] = ...) -> None: ...
    VERSION_FIELD_NUMBER: _ClassVar[int]
    SQLITE_VERSION_FIELD_NUMBER: _ClassVar[int]
    ENGINE_SHA256_FIELD_NUMBER: _ClassVar[int]
    CATALOG_SHA256_FIELD_NUMBER: _ClassVar[int]
    TASK_COUNT_FIELD_NUMBER: _ClassVar[int]
    DATABASE_COUNT_FIELD_NUMBER: _ClassVar[int]
    SPLIT_TASK_COUNTS_FIELD_NUMBER: _ClassVar[int]
    LIMITS_FIELD_NUMBER: _ClassVar[int]
    OBSERVATION_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    COMPARISON_MODES_FIELD_NUMBER: _ClassVar[int]
    TOOL_SCHEMA_JSON_FIELD_NUMBER: _ClassVar[int]
    EPISODE_COUNT_FIELD_NUMBER: _ClassVar[int]
    EPISODE_COUNT_MAX_FIELD_NUMBER: _ClassVar[int]
    LEASE_MS_FIELD_NUMBER: _ClassVar[int]
    DRAINING_FIELD_NUMBER: _ClassVar[int]
    QUEUED_QUERY_COUNT_FIELD_NUMBER: _ClassVar[int]
    RUNNING_QUERY_COUNT_FIELD_NUMBER: _ClassVar[int]
    OLDEST_QUERY_MS_FIELD_NUMBER: _ClassVar[int]
    LOST_WORKER_COUNT_FIELD_NUMBER: _ClassVar[int]
    version: str
    sqlite_version: str
    engine_sha256: str
    catalog_sha256: str
    task_count: int
    database_count: int
    split_task_counts: _containers.ScalarMap[str, int]
    limits: _episode_pb2.Limits
    observation: _episode_pb2.ObservationOptions
    score: _score_pb2.ScoreOptions
    comparison_modes: _containers.RepeatedScalarFieldContainer[str]
    tool_schema_json: str
    episode_count: int
    episode_count_max: int
    lease_ms: int
    draining: bool
    queued_query_count: int
    running_query_count: int
    oldest_query_ms: int
    lost_worker_count: int
    def __init__(self, version: _Optional[str] = ..., sqlite_version: _Optional[str] = ..., engine_sha256: _Optional[str] = ..., catalog_sha256: _Optional[str] = ..., task_count: _Optional[int] = ..., database_count: _Optional[int] = ..., split_task_counts: _Optional[_Mapping[str, int]] = ..., limits: _Optional[_Union[_episode_pb2.Limits, _Mapping]] = ..., observation: _Optional[_Union[_episode_pb2.ObservationOptions, _Mapping]] = ..., score: _Optional[_Union[_score_pb2.ScoreOptions, _Mapping]] = ..., comparison_modes: _Optional[_Iterable[str]] = ..., tool_schema_json: _Optional[str] = ..., episode_count: _Optional[int] = ..., episode_count_max: _Optional[int] = ..., lease_ms: _Optional[int] = ..., draining: bool = ..., queued_query_count: _Optional[int] = ..., running_query_count: _Optional[int] = ..., oldest_query_ms: _Optional[int] = ..., lost_worker_count: _Optional[int] = ...) -> None: ...

class ListTasksRequest(_message.Message):
    __slots__ = ("page_size", "page_token", "split", "database_id", "difficulty", "include_gold", "include_messages", "prompt_style")
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    SPLIT_FIELD_NUMBER: _ClassVar[int]
    DATABASE_ID_FIELD_NUMBER: _ClassVar[int]
    DIFFICULTY_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_GOLD_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_MESSAGES_FIELD_NUMBER: _ClassVar[int]
    PROMPT_STYLE_FIELD_NUMBER: _ClassVar[int]
    page_size: int
    page_token: str
    split: str
    database_id: str
    difficulty: str
    include_gold: bool
    include_messages: bool
    prompt_style: _task_pb2.PromptStyle
    def __init__(self, page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., split: _Optional[str] = ..., database_id: _Optional[str] = ..., difficulty: _Optional[str] = ..., include_gold: bool = ..., include_messages: bool = ..., prompt_style: _Optional[_Union[_task_pb2.PromptStyle, str]] = ...) -> None: ...

class ListTasksResponse(_message.Message):
    __slots__ = ("tasks", "next_page_token", "total_count")
    TASKS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    TOTAL_COUNT_FIELD_NUMBER: _ClassVar[int]
    tasks: _containers.RepeatedCompositeFieldContainer[_task_pb2.Task]
    next_page_token: str
    total_count: int
    def __init__(self, tasks: _Optional[_Iterable[_Union[_task_pb2.Task, _Mapping]]] = ..., next_page_token: _Optional[str] = ..., total_count: _Optional[int] = ...) -> None: ...

class CloseRequest(_message.Message):
    __slots__ = ("episode_id",)
    EPISODE_ID_FIELD_NUMBER: _ClassVar[int]
    episode_id: str
    def __init__(self, episode_id: _Optional[str] = ...) -> None: ...

class CloseResponse(_message.Message):
    __slots__ = ("closed",)
    CLOSED_FIELD_NUMBER: _ClassVar[int]
    closed: bool
    def __init__(self, closed: bool = ...) -> None: ...

class ScoreRequest(_message.Message):
    __slots__ = ("task_id", "inline_task", "completion", "sql", "comparison_modes", "score", "limits", "gold_sha256", "include_gold")
    TASK_ID_FIELD_NUMBER: _ClassVar[int]
    INLINE_TASK_FIELD_NUMBER: _ClassVar[int]
    COMPLETION_FIELD_NUMBER: _ClassVar[int]
    SQL_FIELD_NUMBER: _ClassVar[int]
    COMPARISON_MODES_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    LIMITS_FIELD_NUMBER: _ClassVar[int]
    GOLD_SHA256_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_GOLD_FIELD_NUMBER: _ClassVar[int]
    task_id: str
    inline_task: _task_pb2.InlineTask
    completion: str
    sql: str
    comparison_modes: _containers.RepeatedScalarFieldContainer[str]
    score: _score_pb2.ScoreOptions
    limits: _episode_pb2.Limits
    gold_sha256: str
    include_gold: bool
    def __init__(self, task_id: _Optional[str] = ..., inline_task: _Optional[_Union[_task_pb2.InlineTask, _Mapping]] = ..., completion: _Optional[str] = ..., sql: _Optional[str] = ..., comparison_modes: _Optional[_Iterable[str]] = ..., score: _Optional[_Union[_score_pb2.ScoreOptions, _Mapping]] = ..., limits: _Optional[_Union[_episode_pb2.Limits, _Mapping]] = ..., gold_sha256: _Optional[str] = ..., include_gold: bool = ...) -> None: ...

class ScoreResponse(_message.Message):
    __slots__ = ("grades", "gold_sql")
    GRADES_FIELD_NUMBER: _ClassVar[int]
    GOLD_SQL_FIELD_NUMBER: _ClassVar[int]
    grades: _containers.RepeatedCompositeFieldContainer[_score_pb2.Grade]
    gold_sql: str
    def __init__(self, grades: _Optional[_Iterable[_Union[_score_pb2.Grade, _Mapping]]] = ..., gold_sql: _Optional[str] = ...) -> None: ...

class RunSqlRequest(_message.Message):
    __slots__ = ("database_id", "query", "arguments_json", "observation", "limits")
    DATABASE_ID_FIELD_NUMBER: _ClassVar[int]
    QUERY_FIELD_NUMBER: _ClassVar[int]
    ARGUMENTS_JSON_FIELD_NUMBER: _ClassVar[int]
    OBSERVATION_FIELD_NUMBER: _ClassVar[int]
    LIMITS_FIELD_NUMBER: _ClassVar[int]
    database_id: str
    query: str
    arguments_json: str
    observation: _episode_pb2.ObservationOptions
    limits: _episode_pb2.Limits
    def __init__(self, database_id: _Optional[str] = ..., query: _Optional[str] = ..., arguments_json: _Optional[str] = ..., observation: _Optional[_Union[_episode_pb2.ObservationOptions, _Mapping]] = ..., limits: _Optional[_Union[_episode_pb2.Limits, _Mapping]] = ...) -> None: ...

class RunSqlResponse(_message.Message):
    __slots__ = ("message", "query")
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    QUERY_FIELD_NUMBER: _ClassVar[int]
    message: _task_pb2.Message
    query: _score_pb2.QueryInfo
    def __init__(self, message: _Optional[_Union[_task_pb2.Message, _Mapping]] = ..., query: _Optional[_Union[_score_pb2.QueryInfo, _Mapping]] = ...) -> None: ...

class StreamStepsRequest(_message.Message):
    __slots__ = ("calls",)
    CALLS_FIELD_NUMBER: _ClassVar[int]
    calls: _containers.RepeatedCompositeFieldContainer[StreamedCall]
    def __init__(self, calls: _Optional[_Iterable[_Union[StreamedCall, _Mapping]]] = ...) -> None: ...

class StreamedCall(_message.Message):
    __slots__ = ("call_id", "timeout_ms", "reset", "step", "close")
    CALL_ID_FIELD_NUMBER: _ClassVar[int]
    TIMEOUT_MS_FIELD_NUMBER: _ClassVar[int]
    RESET_FIELD_NUMBER: _ClassVar[int]
    STEP_FIELD_NUMBER: _ClassVar[int]
    CLOSE_FIELD_NUMBER: _ClassVar[int]
    call_id: int
    timeout_ms: int
    reset: _episode_pb2.ResetRequest
    step: _episode_pb2.StepRequest
    close: CloseRequest
    def __init__(self, call_id: _Optional[int] = ..., timeout_ms: _Optional[int] = ..., reset: _Optional[_Union[_episode_pb2.ResetRequest, _Mapping]] = ..., step: _Optional[_Union[_episode_pb2.StepRequest, _Mapping]] = ..., close: _Optional[_Union[CloseRequest, _Mapping]] = ...) -> None: ...

class StreamStepsResponse(_message.Message):
    __slots__ = ("replies",)
    REPLIES_FIELD_NUMBER: _ClassVar[int]
    replies: _containers.RepeatedCompositeFieldContainer[StreamedReply]
    def __init__(self, replies: _Optional[_Iterable[_Union[StreamedReply, _Mapping]]] = ...) -> None: ...

class StreamedReply(_message.Message):
    __slots__ = ("call_id", "reset", "step", "close", "failure")
    CALL_ID_FIELD_NUMBER: _ClassVar[int]
    RESET_FIELD_NUMBER: _ClassVar[int]
    STEP_FIELD_NUMBER: _ClassVar[int]
    CLOSE_FIELD_NUMBER: _ClassVar[int]
    FAILURE_FIELD_NUMBER: _ClassVar[int]
    call_id: int
    reset: _episode_pb2.ResetResponse
    step: _episode_pb2.StepResponse
    close: CloseResponse
    failure: CallFailure
    def __init__(self, call_id: _Optional[int] = ..., reset: _Optional[_Union[_episode_pb2.ResetResponse, _Mapping]] = ..., step: _Optional[_Union[_episode_pb2.StepResponse, _Mapping]] = ..., close: _Optional[_Union[CloseResponse, _Mapping]] = ..., failure: _Optional[_Union[CallFailure, _Mapping]] = ...) -> None: ...

class CallFailure(_message.Message):
    __slots__ = ("status_code", "reason", "message")
    STATUS_CODE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    status_code: int
    reason: _error_pb2.ErrorReason
    message: str
    def __init__(self, status_code: _Optional[int] = ..., reason: _Optional[_Union[_error_pb2.ErrorReason, str]] = ..., message: _Optional[str] = ...) -> None: ...
