"""The example's files are what verl 0.7.1 and 0.9.1 take."""

from __future__ import annotations

import inspect
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from sqlenv.retry import Timing
from sqlenv.verl import dataset
from tests.support.loops import DEPS, TOOL_SCHEMA
from tests.support.workers import VERL_VERSIONS, need_verl

EXAMPLES = Path(__file__).resolve().parents[1] / "examples" / "verl"


def keys_of_script(name: str) -> list[str]:
    """The keys that a launch script gives to verl."""
    text = (EXAMPLES / name).read_text(encoding="utf-8")
    return re.findall(r'^\s*"?((?:data|algorithm|actor_rollout_ref|trainer|reward)\.[\w.]+)=', text, re.MULTILINE)


@pytest.mark.parametrize("version", VERL_VERSIONS)
def test_every_key_is_in_verls_configuration(version: str) -> None:
    """Hydra refuses keys that the configuration lacks."""
    need_verl(version)
    path = DEPS / f"verl-{version}" / "verl" / "trainer" / "config" / "_generated_ppo_trainer.yaml"
    config: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    keys = keys_of_script("train.sh")
    assert len(keys) > 40
    for key in keys:
        node: Any = config
        for part in key.split("."):
            assert isinstance(node, dict) and part in node, f"{key} is not in verl {version}"
            node = node[part]
    assert ("use_v1" in config["trainer"]) == (version != "0.7.1")


def test_the_script_is_a_script() -> None:
    subprocess.run(["bash", "-n", str(EXAMPLES / "train.sh")], check=True)


def test_agent_loop_yaml() -> None:
    (entry,) = yaml.safe_load((EXAMPLES / "agent_loop.yaml").read_text(encoding="utf-8"))
    assert entry["name"] == dataset.AGENT_NAME
    assert entry["_target_"] == "sqlenv.verl.agent_loop.SqlEnvAgentLoop"
    source = (Path(inspect.getfile(dataset)).parent / "agent_loop.py").read_text(encoding="utf-8")
    for key in entry.keys() - {"_target_"}:
        assert re.search(rf"^        {key}: ", source, re.MULTILINE), key
    defaults = Timing()
    assert entry["timing"] == {name: getattr(defaults, name) for name in entry["timing"]}


def test_tool_yaml() -> None:
    (tool,) = yaml.safe_load((EXAMPLES / "tool.yaml").read_text(encoding="utf-8"))["tools"]
    assert tool["class_name"] == "sqlenv.verl.tool.RunSqlTool"
    assert tool["config"]["type"] == "native"
    assert tool["tool_schema"] == TOOL_SCHEMA
