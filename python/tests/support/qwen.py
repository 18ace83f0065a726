"""The real Qwen2.5 tokenizer and chat template, with the methods of a Hugging Face tokenizer that verl calls."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jinja2
from jinja2.sandbox import ImmutableSandboxedEnvironment
from tokenizers import Tokenizer


class QwenTokenizer:
    """Reads `tokenizer.json` and `tokenizer_config.json` of a folder."""

    name_or_path = "Qwen/Qwen2.5-3B-Instruct"
    padding_side = "left"

    def __init__(self, folder: Path) -> None:
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        config = json.loads((folder / "tokenizer_config.json").read_text(encoding="utf-8"))
        self.chat_template: str = config["chat_template"]
        self.eos_token: str = config["eos_token"]
        self.pad_token: str = config["pad_token"]
        self.eos_token_id = self.convert_tokens_to_ids(self.eos_token)
        self.pad_token_id = self.convert_tokens_to_ids(self.pad_token)
        # As transformers renders it.
        environment = ImmutableSandboxedEnvironment(
            trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
        )
        environment.filters["tojson"] = _tojson
        self._template: jinja2.Template = environment.from_string(self.chat_template)

    def convert_tokens_to_ids(self, token: str) -> Any:
        """The id of one token; None if there is none."""
        return self._tokenizer.token_to_id(token)

    def encode(self, text: str, add_special_tokens: bool = False, **_: Any) -> list[int]:
        """Token ids; special tokens in the text become theirs."""
        return list(self._tokenizer.encode(text, add_special_tokens=add_special_tokens).ids)

    def decode(self, ids: Any, skip_special_tokens: bool = False, **_: Any) -> str:
        """The text of token ids."""
        return str(self._tokenizer.decode(list(ids), skip_special_tokens=skip_special_tokens))

    def apply_chat_template(
        self,
        conversation: list[dict[str, Any]],
        tools: list[dict[str, Any]] | None = None,
        add_generation_prompt: bool = False,
        tokenize: bool = True,
        return_dict: bool = False,
        **kwargs: Any,
    ) -> Any:
        """Renders messages; returns text, ids, or a dict with `input_ids`."""
        text = self._template.render(
            messages=conversation, tools=tools, add_generation_prompt=add_generation_prompt, **kwargs
        )
        if not tokenize:
            return text
        ids = self.encode(text)
        return {"input_ids": ids, "attention_mask": [1] * len(ids)} if return_dict else ids


def _tojson(value: Any, ensure_ascii: bool = False, indent: int | None = None, **_: Any) -> str:
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent)
