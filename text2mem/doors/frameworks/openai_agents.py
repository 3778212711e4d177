"""The tools and the session for the OpenAI Agents SDK.

An item of a session is a message, a call of a tool, or the result of a call. It is stored as an
archived episode, so that a recall does not find what was just said in the same conversation. With
``learn``, the messages of the user are not archived, and are queued for extraction.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from text2mem.doors.frameworks.toolbox import Tool, Toolbox, lock_of
from text2mem.errors import ConfigurationError, needing
from text2mem.ir.ops import ByFilter
from text2mem.ir.record import Record, as_tags
from text2mem.ledger.episode import EPISODE, Message, Role, encoding
from text2mem.ledger.writing import Run, in_one_transaction
from text2mem.memory import Memory

with needing("the tools for the OpenAI Agents SDK", extra="openai-agents"):
    from agents import FunctionTool, TResponseInputItem
    from agents.memory import SessionABC, SessionSettings
    from agents.tool_context import ToolContext

Item = Mapping[str, Any]

_ITEM = "item"
"""The key of the payload that holds an item which has more than a role and a text."""
_MOST = 100_000
"""The most items of a session that are read."""
_STEP = 500
"""The most memories that one step archives or deletes."""
_ROLES: Mapping[str, Role] = {
    "user": "user", "assistant": "assistant", "system": "event", "developer": "event",
}  # fmt: skip


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

    They are those of the tenant and actor of the memory's context, and every change is a program.
    With ``learn``, ``memory.work()`` or a worker reads the user's messages for facts. Raises
    ConfigurationError for a blank ``session_id``, ExecutionError if the store refuses, and
    ValidationError for an item that is not JSON.
    """

    def __init__(
        self,
        session_id: str,
        memory: Memory,
        *,
        learn: bool = False,
        session_settings: SessionSettings | None = None,
    ) -> None:
        if not str(session_id).strip():
            raise ConfigurationError("a session is a name, and this one is empty")
        self.session_id = session_id
        self.session_settings = session_settings or SessionSettings()
        self._session = str(session_id)
        self._memory = memory
        self._learn = learn
        self._lock = lock_of(memory)
        self._tags = as_tags([f"session:{session_id}"])

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """Return the items, oldest first; with a limit, here or in the settings, the last ones."""
        most = limit
        if most is None and self.session_settings is not None:
            most = self.session_settings.limit
        return await asyncio.to_thread(self._items, most)

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Add items, all or none."""
        given: list[Any] = list(items)
        await asyncio.to_thread(self._add, given)

    async def pop_item(self) -> TResponseInputItem | None:
        """Delete the last item and return it; None if there is none."""
        taken = await asyncio.to_thread(self._delete, 1)
        return _item(taken[0]) if taken else None

    async def clear_session(self) -> None:
        """Delete all items. An undo of that program restores them."""
        await asyncio.to_thread(self._delete, _MOST)

    def _items(self, limit: int | None) -> list[Any]:
        most = _MOST if limit is None or limit < 0 else min(limit, _MOST)
        with self._lock:
            return [_item(record) for record in self._records(most)]

    def _add(self, items: Sequence[Item]) -> None:
        if not items:
            return
        with self._lock:
            ledger = self._memory.ledger.still()
            now = ledger.now()
            # Items are read by their time: a clock that goes back puts none before the last one.
            at = max([now, *(record.when for record in self._records(1))])
            steps: list[dict[str, Any]] = []
            archived, learnt = list[str](), list[int]()
            for number, item in enumerate(items):
                message = _message(item)
                step = encoding(message, session=self._session, at=at)
                learns = self._learn and message.role == "user" and bool(message.text)
                step["args"] |= {"tags": [*self._tags], "skip_embedding": not learns}
                if message.structured is None and dict(item) != _plain(message.role, message.text):
                    step["args"]["payload"][_ITEM] = dict(item)
                steps.append(step)
                if learns:
                    learnt.append(number)
                else:
                    archived.append(f"${number + 1}")
            steps += _each("Demote", archived, args={"archive": True})

            def write(run: Run) -> None:
                results = run(steps).results
                if learnt and not ledger.context.dry_run:
                    ledger.adapter.queue.put([results[n].created[0] for n in learnt], now=now)

            in_one_transaction(ledger, write)

    def _records(self, most: int) -> list[Record]:
        """The last ``most`` episodes of the session, oldest first."""
        found = self._memory.ledger.rows(
            ByFilter(
                type=EPISODE, has_tags=self._tags, facets={"session": self._session},
                include=("archived",), limit=most,
            )
        )  # fmt: skip
        return sorted(found, key=lambda record: int(record.id))

    def _delete(self, most: int) -> list[Record]:
        """Delete the last ``most`` items and return them. They are read in the transaction that
        writes, since another process may have changed the session."""

        def write(run: Run) -> list[Record]:
            taken = self._records(most)
            if taken:
                run(_each("Delete", [record.id for record in taken]))
            return taken

        with self._lock:
            return in_one_transaction(self._memory.ledger.still(), write)


def _each(op: str, ids: Sequence[str], **more: Item) -> list[dict[str, Any]]:
    """The steps of an op on these memories, at most ``_STEP`` in each."""
    parts = (list(ids[start : start + _STEP]) for start in range(0, len(ids), _STEP))
    return [{"stage": "STO", "op": op, "target": {"ids": part}, **more} for part in parts]


def _message(item: Item) -> Message:
    """An item as a message: its text, or without one the whole item as structured data."""
    given: object = item
    if not isinstance(given, Mapping) or not item:
        raise ConfigurationError(f"an item of a session is an object, not {given!r:.40}")
    role = _ROLES.get(str(item.get("role")))
    if role is not None and (said := _words(item.get("content"))).strip():
        return Message.of(Message(text=said, role=role))
    called: Role = "tool" if str(item.get("type", "")).endswith("_output") else "assistant"
    return Message.of(Message(structured=dict(item), role=role or called))


def _words(content: Any) -> str:
    """The text of a message's content: a text, or a list of parts of which some have a text."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = [part.get("text") for part in parts if isinstance(part, Mapping)]
    return "\n".join(text for text in texts if isinstance(text, str))


def _item(record: Record) -> Any:
    """The item of an episode, as it was added."""
    held = record.payload.get(_ITEM)
    if held is None:
        structured = record.payload.get("structured")
        held = structured.get("message") if isinstance(structured, Mapping) else None
    if isinstance(held, Mapping):
        return dict(held)
    return _plain(str(record.facets.get("role", "user")), record.text)


def _plain(role: str, text: str) -> dict[str, Any]:
    return {"role": role, "content": text}
