from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class PromptStyle(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    PROMPT_STYLE_UNSPECIFIED: _ClassVar[PromptStyle]
    PROMPT_STYLE_DDL: _ClassVar[PromptStyle]
    PROMPT_STYLE_COMPACT: _ClassVar[PromptStyle]
PROMPT_STYLE_UNSPECIFIED: PromptStyle
PROMPT_STYLE_DDL: PromptStyle
PROMPT_STYLE_COMPACT: PromptStyle

class Message(_message.Message):
    __slots__ = ("role", "content")
    ROLE_FIELD_NUMBER: _ClassVar[int]
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    role: str
    content: str
    def __init__(self, role: _Optional[str] = ..., content: _Optional[str] = ...) -> None: ...

class Task(_message.Message):
    __slots__ = ("task_id", "database_id", "question", "split", "difficulty", "gold_sha256", "gold_sql", "messages")
    TASK_ID_FIELD_NUMBER: _ClassVar[int]
    DATABASE_ID_FIELD_NUMBER: _ClassVar[int]
    QUESTION_FIELD_NUMBER: _ClassVar[int]
    SPLIT_FIELD_NUMBER: _ClassVar[int]
    DIFFICULTY_FIELD_NUMBER: _ClassVar[int]
    GOLD_SHA256_FIELD_NUMBER: _ClassVar[int]
    GOLD_SQL_FIELD_NUMBER: _ClassVar[int]
    MESSAGES_FIELD_NUMBER: _ClassVar[int]
    task_id: str
    database_id: str
    question: str
    split: str
    difficulty: str
    gold_sha256: str
    gold_sql: str
    messages: _containers.RepeatedCompositeFieldContainer[Message]
    def __init__(self, task_id: _Optional[str] = ..., database_id: _Optional[str] = ..., question: _Optional[str] = ..., split: _Optional[str] = ..., difficulty: _Optional[str] = ..., gold_sha256: _Optional[str] = ..., gold_sql: _Optional[str] = ..., messages: _Optional[_Iterable[_Union[Message, _Mapping]]] = ...) -> None: ...

class InlineTask(_message.Message):
    __slots__ = ("task_id", "database_id", "question", "gold_sql")
    TASK_ID_FIELD_NUMBER: _ClassVar[int]
    DATABASE_ID_FIELD_NUMBER: _ClassVar[int]
    QUESTION_FIELD_NUMBER: _ClassVar[int]
    GOLD_SQL_FIELD_NUMBER: _ClassVar[int]
    task_id: str
    database_id: str
    question: str
    gold_sql: str
    def __init__(self, task_id: _Optional[str] = ..., database_id: _Optional[str] = ..., question: _Optional[str] = ..., gold_sql: _Optional[str] = ...) -> None: ...
