"""Stand-ins for what verl imports and its agent loop never uses, so that the real loop runs on a small machine.

Only pydantic, regex, numpy and packaging are really needed by `ToolAgentLoop.run`. Modules that are installed are used
as they are (`torch`, if somebody has it); each of the others becomes a module whose attributes are classes: they serve
as base classes, in annotations and as decorators.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import sys
import time
import types
from collections.abc import Sequence
from typing import Any

HEAVY = frozenset(
    (
        "accelerate",
        "aiohttp",
        "cachetools",
        "cloudpickle",
        "codetiming",
        "datasets",
        "dill",
        "fastapi",
        "filelock",
        "flash_attn",
        "hydra",
        "megatron",
        "omegaconf",
        "orjson",
        "pandas",
        "peft",
        "PIL",
        "psutil",
        "ray",
        "requests",
        "tensordict",
        "torch",
        "torchdata",
        "tqdm",
        "transfer_queue",
        "transformers",
        "uvicorn",
        "vllm",
        "zmq",
    )
)


class _Meta(type):
    """Attributes of a stand-in class are stand-in classes, too."""

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _stand_in(name)

    def __or__(cls, other: Any) -> Any:
        return Any

    def __ror__(cls, other: Any) -> Any:
        return Any

    def __iter__(cls) -> Any:
        return iter(())


def _stand_in(name: str) -> Any:
    def new(cls: type, *args: Any, **kwargs: Any) -> Any:
        # Called on a function or a class it is a decorator, else it makes one.
        if len(args) == 1 and not kwargs and (isinstance(args[0], type) or callable(args[0])):
            return args[0]
        if cls.__module__ != __name__:
            return object.__new__(cls)
        return lambda *a, **k: a[0] if len(a) == 1 and callable(a[0]) else None

    return _Meta(
        name, (), {"__new__": new, "__init__": lambda self, *a, **k: None, "__class_getitem__": lambda cls, _: cls}
    )


class _Module(types.ModuleType):
    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        value = _stand_in(name)
        setattr(self, name, value)
        return value


class Timer:
    """codetiming's timer, as far as verl uses it."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.last = 0.0

    def __enter__(self) -> Timer:
        self._start = time.perf_counter()
        return self

    def __exit__(self, *args: object) -> None:
        self.last = time.perf_counter() - self._start


class _Device:
    @staticmethod
    def is_available() -> bool:
        return False


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def __init__(self, names: frozenset[str]) -> None:
        self._names = names

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname.partition(".")[0] not in self._names:
            return None
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        module = _Module(spec.name)
        module.__path__ = []
        module.__version__ = "999.0"  # type: ignore[attr-defined]
        return module

    def exec_module(self, module: types.ModuleType) -> None:
        if module.__name__ == "torch":
            module.cuda = module.npu = _Device  # type: ignore[attr-defined]
        if module.__name__ == "codetiming":
            module.Timer = Timer  # type: ignore[attr-defined]


def install() -> list[str]:
    """Puts stand-ins in the place of heavy modules that are not installed; returns their names."""
    missing = frozenset(name for name in HEAVY if importlib.util.find_spec(name) is None)
    sys.meta_path.append(_Finder(missing))
    return sorted(missing)
