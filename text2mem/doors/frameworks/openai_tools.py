"""The tools for your own loop around OpenAI's API, or a server that speaks it."""

from __future__ import annotations

from typing import Any, Literal

from text2mem.doors.frameworks.toolbox import Toolbox
from text2mem.errors import ConfigurationError

Api = Literal["responses", "chat"]


def tool_list(toolbox: Toolbox, *, api: Api = "responses") -> list[dict[str, Any]]:
    """The list for ``tools=`` of the Responses API, or of Chat Completions.

    Raises ConfigurationError for another ``api``.
    """
    functions = [
        {"name": tool.name, "description": tool.description, "parameters": tool.schema(
            handles=False
        ), "strict": False}
        for tool in toolbox.tools
    ]  # fmt: skip
    if api == "chat":
        return [{"type": "function", "function": each} for each in functions]
    if api == "responses":
        return [{"type": "function", **each} for each in functions]
    raise ConfigurationError(f"there is no api {api!r:.40}", hint="responses, or chat")


def carry_out(toolbox: Toolbox, name: str, arguments: str) -> str:
    """What the model reads after its call: the answer, or what is wrong with the call."""
    return toolbox.call(name, arguments).text
