"""The tools and the session for the OpenAI Agents SDK."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from text2mem.doors.frameworks.toolbox import Tool, Toolbox
from text2mem.doors.frameworks.transcript import Transcript
from text2mem.errors import MissingExtra
from text2mem.memory import Memory

try:
    from agents import FunctionTool
    from agents.memory import SessionABC, SessionSettings
except ImportError as error:
    raise MissingExtra("the tools for the OpenAI Agents SDK", extra="openai-agents") from error

if TYPE_CHECKING:
    from agents import TResponseInputItem
    from agents.tool_context import ToolContext


def function_tools(toolbox: Toolbox, *, approve: bool = False) -> list[FunctionTool]:
    """Return the tools.

    With ``approve``, a call that answers a question, by ``confirm`` or in words, waits until a
    person has approved it.
    """
    return [_tool(toolbox, tool, approve) for tool in toolbox.tools]


def _tool(toolbox: Toolbox, tool: Tool, approve: bool) -> FunctionTool:
    async def invoke(context: ToolContext[Any], arguments: str) -> str:
        return (await toolbox.acall(tool.name, arguments)).text

    async def answers(context: Any, given: dict[str, Any], call: str) -> bool:
        return tool.name == "confirm" or given.get("confirm_token") is not None

    return FunctionTool(
        name=tool.name, description=tool.description,
        params_json_schema=tool.schema(handles=False), on_invoke_tool=invoke,
        strict_json_schema=False, needs_approval=answers if approve else False,
    )  # fmt: skip


class Text2MemSession(SessionABC):
    """A session whose items are kept in a store, exactly as they were.

    With ``learn``, the user's messages are queued for the extraction of facts, by
    ``memory.work()`` or a worker. Raises ConfigurationError for a blank ``session_id``, and
    ExecutionError if the store refuses.
    """

    def __init__(
        self,
        session_id: str,
        memory: Memory,
        *,
        learn: bool = False,
        session_settings: SessionSettings | None = None,
    ) -> None:
        self.session_id = session_id
        self.session_settings = session_settings or SessionSettings()
        self._transcript = Transcript(session_id, memory, learn=learn)

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """Return the items, oldest first.

        With a limit, here or in the settings, only the last ones.
        """
        most = limit
        if most is None and self.session_settings is not None:
            most = self.session_settings.limit
        items: list[Any] = await asyncio.to_thread(self._transcript.items, most)
        return items

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Add items, all or none."""
        given: list[Any] = list(items)
        await asyncio.to_thread(self._transcript.add, given)

    async def pop_item(self) -> TResponseInputItem | None:
        """Delete the last item and return it; None if there is none."""
        item: Any = await asyncio.to_thread(self._transcript.pop)
        taken: TResponseInputItem | None = item
        return taken

    async def clear_session(self) -> None:
        """Delete all items. An undo of that program restores them."""
        await asyncio.to_thread(self._transcript.clear)
