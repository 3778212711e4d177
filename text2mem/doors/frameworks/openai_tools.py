"""The tools for a loop of your own around OpenAI's API, or around a server with the same API."""

from __future__ import annotations

from typing import Any, Literal

from text2mem.doors.frameworks.toolbox import Toolbox
from text2mem.errors import ConfigurationError

Api = Literal["responses", "chat"]


def tool_list(toolbox: Toolbox, *, api: Api = "responses") -> list[dict[str, Any]]:
    """Return the list for the argument ``tools`` of the Responses API, or of Chat Completions.

    Raises ConfigurationError for another ``api``.
    """
    functions = [
        {"name": tool.name, "description": tool.description,
         "parameters": tool.schema(handles=False), "strict": False}
        for tool in toolbox.tools
    ]  # fmt: skip
    if api == "chat":
        return [{"type": "function", "function": each} for each in functions]
    if api == "responses":
        return [{"type": "function", **each} for each in functions]
    raise ConfigurationError(f"there is no api {api!r:.40}", hint="responses, or chat")


def carry_out(toolbox: Toolbox, name: str, arguments: str) -> str:
    """Carry out a call, and return the text for the model: the answer, or the error."""
    return toolbox.call(name, arguments).text
