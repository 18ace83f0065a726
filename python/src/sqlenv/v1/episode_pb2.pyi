from sqlenv.v1 import score_pb2 as _score_pb2
from sqlenv.v1 import task_pb2 as _task_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class TruncateSide(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TRUNCATE_SIDE_UNSPECIFIED: _ClassVar[TruncateSide]
    TRUNCATE_SIDE_MIDDLE: _ClassVar[TruncateSide]
    TRUNCATE_SIDE_LEFT: _ClassVar[TruncateSide]
    TRUNCATE_SIDE_RIGHT: _ClassVar[TruncateSide]

class EpisodeMode(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    EPISODE_MODE_UNSPECIFIED: _ClassVar[EpisodeMode]
    EPISODE_MODE_TRAIN: _ClassVar[EpisodeMode]
    EPISODE_MODE_EVAL: _ClassVar[EpisodeMode]

class OnMalformed(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ON_MALFORMED_UNSPECIFIED: _ClassVar[OnMalformed]
    ON_MALFORMED_END: _ClassVar[OnMalformed]
    ON_MALFORMED_OBSERVE: _ClassVar[OnMalformed]

class TruncationReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TRUNCATION_REASON_UNSPECIFIED: _ClassVar[TruncationReason]
    TRUNCATION_REASON_STEP_LIMIT: _ClassVar[TruncationReason]
    TRUNCATION_REASON_INVALID_CALL_LIMIT: _ClassVar[TruncationReason]
    TRUNCATION_REASON_TOKEN_LIMIT: _ClassVar[TruncationReason]

class TerminationReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TERMINATION_REASON_UNSPECIFIED: _ClassVar[TerminationReason]
    TERMINATION_REASON_ANSWER: _ClassVar[TerminationReason]
    TERMINATION_REASON_MALFORMED_CALL: _ClassVar[TerminationReason]
TRUNCATE_SIDE_UNSPECIFIED: TruncateSide
TRUNCATE_SIDE_MIDDLE: TruncateSide
TRUNCATE_SIDE_LEFT: TruncateSide
TRUNCATE_SIDE_RIGHT: TruncateSide
EPISODE_MODE_UNSPECIFIED: EpisodeMode
EPISODE_MODE_TRAIN: EpisodeMode
EPISODE_MODE_EVAL: EpisodeMode
ON_MALFORMED_UNSPECIFIED: OnMalformed
ON_MALFORMED_END: OnMalformed
ON_MALFORMED_OBSERVE: OnMalformed
TRUNCATION_REASON_UNSPECIFIED: TruncationReason
TRUNCATION_REASON_STEP_LIMIT: TruncationReason
TRUNCATION_REASON_INVALID_CALL_LIMIT: TruncationReason
TRUNCATION_REASON_TOKEN_LIMIT: TruncationReason
TERMINATION_REASON_UNSPECIFIED: TerminationReason
TERMINATION_REASON_ANSWER: TerminationReason
TERMINATION_REASON_MALFORMED_CALL: TerminationReason

class Limits(_message.Message):
    __slots__ = ("step_count_max", "invalid_call_count_max", "parallel_call_count_max", "completion_token_count_max", "query_cpu_ms_max", "query_wall_ms_max", "row_count_max", "cell_bytes_max", "result_bytes_max")
    STEP_COUNT_MAX_FIELD_NUMBER: _ClassVar[int]
    INVALID_CALL_COUNT_MAX_FIELD_NUMBER: _ClassVar[int]
    PARALLEL_CALL_COUNT_MAX_FIELD_NUMBER: _ClassVar[int]
    COMPLETION_TOKEN_COUNT_MAX_FIELD_NUMBER: _ClassVar[int]
    QUERY_CPU_MS_MAX_FIELD_NUMBER: _ClassVar[int]
    QUERY_WALL_MS_MAX_FIELD_NUMBER: _ClassVar[int]
    ROW_COUNT_MAX_FIELD_NUMBER: _ClassVar[int]
    CELL_BYTES_MAX_FIELD_NUMBER: _ClassVar[int]
    RESULT_BYTES_MAX_FIELD_NUMBER: _ClassVar[int]
    step_count_max: int
    invalid_call_count_max: int
    parallel_call_count_max: int
    completion_token_count_max: int
    query_cpu_ms_max: int
    query_wall_ms_max: int
    row_count_max: int
    cell_bytes_max: int
    result_bytes_max: int
    def __init__(self, step_count_max: _Optional[int] = ..., invalid_call_count_max: _Optional[int] = ..., parallel_call_count_max: _Optional[int] = ..., completion_token_count_max: _Optional[int] = ..., query_cpu_ms_max: _Optional[int] = ..., query_wall_ms_max: _Optional[int] = ..., row_count_max: _Optional[int] = ..., cell_bytes_max: _Optional[int] = ..., result_bytes_max: _Optional[int] = ...) -> None: ...

class ObservationOptions(_message.Message):
    __slots__ = ("text_size_max", "truncate_side")
    TEXT_SIZE_MAX_FIELD_NUMBER: _ClassVar[int]
    TRUNCATE_SIDE_FIELD_NUMBER: _ClassVar[int]
    text_size_max: int
    truncate_side: TruncateSide
    def __init__(self, text_size_max: _Optional[int] = ..., truncate_side: _Optional[_Union[TruncateSide, str]] = ...) -> None: ...

class ResetRequest(_message.Message):
    __slots__ = ("episode_id", "task_id", "inline_task", "limits", "observation", "mode", "group_id", "labels", "prompt_style", "on_malformed", "score", "gold_sha256")
    class LabelsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    EPISODE_ID_FIELD_NUMBER: _ClassVar[int]
    TASK_ID_FIELD_NUMBER: _ClassVar[int]
    INLINE_TASK_FIELD_NUMBER: _ClassVar[int]
    LIMITS_FIELD_NUMBER: _ClassVar[int]
    OBSERVATION_FIELD_NUMBER: _ClassVar[int]
    MODE_FIELD_NUMBER: _ClassVar[int]
    GROUP_ID_FIELD_NUMBER: _ClassVar[int]
    LABELS_FIELD_NUMBER: _ClassVar[int]
    PROMPT_STYLE_FIELD_NUMBER: _ClassVar[int]
    ON_MALFORMED_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    GOLD_SHA256_FIELD_NUMBER: _ClassVar[int]
    episode_id: str
    task_id: str
    inline_task: _task_pb2.InlineTask
    limits: Limits
    observation: ObservationOptions
    mode: EpisodeMode
    group_id: str
    labels: _containers.ScalarMap[str, str]
    prompt_style: _task_pb2.PromptStyle
    on_malformed: OnMalformed
    score: _score_pb2.ScoreOptions
    gold_sha256: str
    def __init__(self, episode_id: _Optional[str] = ..., task_id: _Optional[str] = ..., inline_task: _Optional[_Union[_task_pb2.InlineTask, _Mapping]] = ..., limits: _Optional[_Union[Limits, _Mapping]] = ..., observation: _Optional[_Union[ObservationOptions, _Mapping]] = ..., mode: _Optional[_Union[EpisodeMode, str]] = ..., group_id: _Optional[str] = ..., labels: _Optional[_Mapping[str, str]] = ..., prompt_style: _Optional[_Union[_task_pb2.PromptStyle, str]] = ..., on_malformed: _Optional[_Union[OnMalformed, str]] = ..., score: _Optional[_Union[_score_pb2.ScoreOptions, _Mapping]] = ..., gold_sha256: _Optional[str] = ...) -> None: ...

class ResetResponse(_message.Message):
    __slots__ = ("episode_id", "task", "messages", "tool_schema_json", "limits", "observation", "lease_ms", "score")
    EPISODE_ID_FIELD_NUMBER: _ClassVar[int]
    TASK_FIELD_NUMBER: _ClassVar[int]
    MESSAGES_FIELD_NUMBER: _ClassVar[int]
    TOOL_SCHEMA_JSON_FIELD_NUMBER: _ClassVar[int]
    LIMITS_FIELD_NUMBER: _ClassVar[int]
    OBSERVATION_FIELD_NUMBER: _ClassVar[int]
    LEASE_MS_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    episode_id: str
    task: _task_pb2.Task
    messages: _containers.RepeatedCompositeFieldContainer[_task_pb2.Message]
    tool_schema_json: str
    limits: Limits
    observation: ObservationOptions
    lease_ms: int
    score: _score_pb2.ScoreOptions
    def __init__(self, episode_id: _Optional[str] = ..., task: _Optional[_Union[_task_pb2.Task, _Mapping]] = ..., messages: _Optional[_Iterable[_Union[_task_pb2.Message, _Mapping]]] = ..., tool_schema_json: _Optional[str] = ..., limits: _Optional[_Union[Limits, _Mapping]] = ..., observation: _Optional[_Union[ObservationOptions, _Mapping]] = ..., lease_ms: _Optional[int] = ..., score: _Optional[_Union[_score_pb2.ScoreOptions, _Mapping]] = ...) -> None: ...

class ToolCall(_message.Message):
    __slots__ = ("name", "arguments_json")
    NAME_FIELD_NUMBER: _ClassVar[int]
    ARGUMENTS_JSON_FIELD_NUMBER: _ClassVar[int]
    name: str
    arguments_json: str
    def __init__(self, name: _Optional[str] = ..., arguments_json: _Optional[str] = ...) -> None: ...

class StepRequest(_message.Message):
    __slots__ = ("episode_id", "step_index", "assistant_text", "tool_call", "final_text", "completion_token_count")
    EPISODE_ID_FIELD_NUMBER: _ClassVar[int]
    STEP_INDEX_FIELD_NUMBER: _ClassVar[int]
    ASSISTANT_TEXT_FIELD_NUMBER: _ClassVar[int]
    TOOL_CALL_FIELD_NUMBER: _ClassVar[int]
    FINAL_TEXT_FIELD_NUMBER: _ClassVar[int]
    COMPLETION_TOKEN_COUNT_FIELD_NUMBER: _ClassVar[int]
    episode_id: str
    step_index: int
    assistant_text: str
    tool_call: ToolCall
    final_text: str
    completion_token_count: int
    def __init__(self, episode_id: _Optional[str] = ..., step_index: _Optional[int] = ..., assistant_text: _Optional[str] = ..., tool_call: _Optional[_Union[ToolCall, _Mapping]] = ..., final_text: _Optional[str] = ..., completion_token_count: _Optional[int] = ...) -> None: ...

class StepResponse(_message.Message):
    __slots__ = ("step_index", "messages", "reward", "terminated", "termination_reason", "truncated", "truncation_reason", "queries", "grade", "ignored_call_count", "episode_return", "completion_token_count")
    STEP_INDEX_FIELD_NUMBER: _ClassVar[int]
    MESSAGES_FIELD_NUMBER: _ClassVar[int]
    REWARD_FIELD_NUMBER: _ClassVar[int]
    TERMINATED_FIELD_NUMBER: _ClassVar[int]
    TERMINATION_REASON_FIELD_NUMBER: _ClassVar[int]
    TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    TRUNCATION_REASON_FIELD_NUMBER: _ClassVar[int]
    QUERIES_FIELD_NUMBER: _ClassVar[int]
    GRADE_FIELD_NUMBER: _ClassVar[int]
    IGNORED_CALL_COUNT_FIELD_NUMBER: _ClassVar[int]
    EPISODE_RETURN_FIELD_NUMBER: _ClassVar[int]
    COMPLETION_TOKEN_COUNT_FIELD_NUMBER: _ClassVar[int]
    step_index: int
    messages: _containers.RepeatedCompositeFieldContainer[_task_pb2.Message]
    reward: float
    terminated: bool
    termination_reason: TerminationReason
    truncated: bool
    truncation_reason: TruncationReason
    queries: _containers.RepeatedCompositeFieldContainer[_score_pb2.QueryInfo]
    grade: _score_pb2.Grade
    ignored_call_count: int
    episode_return: float
    completion_token_count: int
    def __init__(self, step_index: _Optional[int] = ..., messages: _Optional[_Iterable[_Union[_task_pb2.Message, _Mapping]]] = ..., reward: _Optional[float] = ..., terminated: bool = ..., termination_reason: _Optional[_Union[TerminationReason, str]] = ..., truncated: bool = ..., truncation_reason: _Optional[_Union[TruncationReason, str]] = ..., queries: _Optional[_Iterable[_Union[_score_pb2.QueryInfo, _Mapping]]] = ..., grade: _Optional[_Union[_score_pb2.Grade, _Mapping]] = ..., ignored_call_count: _Optional[int] = ..., episode_return: _Optional[float] = ..., completion_token_count: _Optional[int] = ...) -> None: ...
