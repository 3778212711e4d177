"""The tools for LangChain, synchronous and asynchronous."""

from __future__ import annotations

from typing import Any

from text2mem.doors.frameworks.toolbox import Tool, ToolAnswer, Toolbox
from text2mem.errors import needing

with needing("LangChain's tools", extra="langchain"):
    from langchain_core.tools import BaseTool, StructuredTool, ToolException


def langchain_tools(toolbox: Toolbox) -> list[BaseTool]:
    """Return the tools, whose messages have an answer's text as content and its data as artifact.

    A call that fails becomes a message with the status "error". ``metadata`` says whether a tool
    only reads, and whether it may change or delete memories.
    """
    return [_tool(toolbox, tool) for tool in toolbox.tools]


def _tool(toolbox: Toolbox, tool: Tool) -> BaseTool:
    def call(**arguments: Any) -> tuple[str, Any]:
        return _content(toolbox.call(tool.name, arguments))

    async def acall(**arguments: Any) -> tuple[str, Any]:
        return _content(await toolbox.acall(tool.name, arguments))

    reads, destroys, _ = tool.hints
    return StructuredTool(
        name=tool.name, description=tool.description, args_schema=tool.schema(handles=False),
        func=call, coroutine=acall, response_format="content_and_artifact",
        handle_tool_error=True, metadata={"read_only": reads, "destructive": destroys},
    )  # fmt: skip


def _content(answer: ToolAnswer) -> tuple[str, Any]:
    if answer.failed:
        raise ToolException(answer.text)
    return answer.text, dict(answer.data)
