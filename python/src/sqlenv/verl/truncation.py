"""verl's rule for long tool texts, so that the server cuts first and verl's own cut changes nothing.

All three rules are idempotent: applied to a text that was cut by them they give the same text.
"""

from __future__ import annotations

import re
from importlib import metadata

from sqlenv.v1 import episode_pb2

_SIDES = {
    "middle": episode_pb2.TRUNCATE_SIDE_MIDDLE,
    "left": episode_pb2.TRUNCATE_SIDE_LEFT,
    "right": episode_pb2.TRUNCATE_SIDE_RIGHT,
}


def observation_options(text_size_max: int, side: str, version: str | None = None) -> episode_pb2.ObservationOptions:
    """The server's options for verl's `max_tool_response_length` (code points) and `tool_response_truncate_side`.

    Up to 0.7 verl's `left` keeps the head and `right` the tail; verl-project/verl#6313 turned them round. Any other
    name means `middle`, as in verl.
    """
    inverted = verl_version(version) < (0, 8)
    if inverted and side in ("left", "right"):
        side = "right" if side == "left" else "left"
    return episode_pb2.ObservationOptions(
        text_size_max=text_size_max, truncate_side=_SIDES.get(side, episode_pb2.TRUNCATE_SIDE_MIDDLE)
    )


def verl_version(version: str | None = None) -> tuple[int, int]:
    """Major and minor number of verl's version, by default that installed; a very new one if it is unknown."""
    if version is None:
        version = _installed_version()
    numbers = re.match(r"(\d+)\.(\d+)", version)
    return (int(numbers[1]), int(numbers[2])) if numbers else (999, 0)


def _installed_version() -> str:
    try:
        import verl

        return str(verl.__version__)
    except (ImportError, AttributeError):
        try:
            return metadata.version("verl")
        except metadata.PackageNotFoundError:
            return ""
