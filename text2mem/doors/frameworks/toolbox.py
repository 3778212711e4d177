"""The tools of a memory, for an agent in this process. No framework is imported here.

The tools and their descriptions are the same as those of the MCP server.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from threading import Event, Lock
from typing import Any
from weakref import WeakKeyDictionary

from text2mem.adapters.base import Adapter
from text2mem.doors.agent.shared_memory import SharedMemory
from text2mem.doors.agent.talk import Talk
from text2mem.doors.agent.tools import INSTRUCTIONS, TOOLS, Tool, WrongArguments
from text2mem.doors.agent.verbs import Verbs
from text2mem.doors.agent.wording import ToolAnswer, failure, line
from text2mem.errors import ConfigurationError, Text2MemError
from text2mem.ir.arguments import as_kind
from text2mem.memory import Memory
from text2mem.shared import check_cancelled

__all__ = ["INSTRUCTIONS", "Tool", "ToolAnswer", "Toolbox", "lock_of"]

_SHOWN = 8
"""The effects of how many questions a toolbox remembers."""
_AGAIN = 3
"""The most times that one call confirms the same effect again."""

_locks: WeakKeyDictionary[Adapter, Lock] = WeakKeyDictionary()
_making = Lock()


def lock_of(memory: Memory) -> Lock:
    """Return the lock of an open store, which every call must hold: frameworks use threads."""
    with _making:
        return _locks.setdefault(memory.adapter, Lock())


class Toolbox:
    """The tools of one memory for one conversation, which has its own turns, tokens and undo.

    ``only`` names the tools that the agent gets; by default it gets all. Without the tool
    ``confirm``, no offer of a question is run, not even by a reply in words. The caller closes
    ``memory``. Raises ConfigurationError for an unknown tool.
    """

    instructions = INSTRUCTIONS
    """The text about the tools for the agent's system prompt."""

    def __init__(self, memory: Memory, *, only: Sequence[str] | None = None) -> None:
        given = TOOLS.keys() if only is None else set(only)
        strange = sorted(given - TOOLS.keys())
        if strange:
            raise ConfigurationError(
                f"there is no tool {', '.join(strange)}", hint=f"choose of {', '.join(TOOLS)}"
            )
        self._tools = {name: tool for name, tool in TOOLS.items() if name in given}
        memory = as_kind(memory, Memory, "Memory", "a toolbox is of an open Memory")
        shared = SharedMemory(memory, lock=lock_of(memory))
        self._verbs = Verbs(shared, agrees="confirm" in given)
        self._talk = Talk("")
        self._shown: dict[str, Any] = {}

    @property
    def tools(self) -> Sequence[Tool]:
        """The descriptions of the tools, in the order of ``TOOLS``."""
        return tuple(self._tools.values())

    def call(self, name: str, arguments: str | Mapping[str, Any]) -> ToolAnswer:
        """Carry out one call. ``arguments`` are a mapping, or JSON as a model writes it.

        An error becomes an answer with ``failed`` set, so that the model can correct its call.
        """
        try:
            tool = next((tool for tool in self._tools.values() if tool.name == name), None)
            if tool is None:
                raise WrongArguments(
                    f"there is no tool {line(name)}", hint=f"there are {', '.join(self._tools)}"
                )
            given = tool.checked(_object(tool, arguments), handles=False)
            answer: ToolAnswer = getattr(self._verbs, tool.name)(self._talk, **given)
            return self._confirm_again(answer, given.get("token") or given.get("confirm_token"))
        except Text2MemError as error:
            return failure(error)

    def _confirm_again(self, answer: ToolAnswer, token: str | None) -> ToolAnswer:
        """The final answer of a call with a token, by confirming it again if necessary.

        A session in the same store changes it between a question and its yes, so that the question
        is asked again. If it shows the effect that was agreed to, it is confirmed at once.
        """
        agreed = self._shown.pop(token, None) if token else None
        for _ in range(_AGAIN):
            if agreed is None or not answer.data.get("moved") or _effect(answer) != agreed:
                break
            answer = self._verbs.confirm(self._talk, answer.data["token"])
        if "token" in answer.data and "result" in answer.data:
            self._shown[answer.data["token"]] = _effect(answer)
            for old in list(self._shown)[:-_SHOWN]:
                self._shown.pop(old, None)  # another thread may have done so
        return answer

    async def acall(self, name: str, arguments: str | Mapping[str, Any]) -> ToolAnswer:
        """Carry out one call in a thread, as ``call`` does. Cancelled before it has changed the
        store, it leaves it as it is."""
        cancelled = Event()

        def check() -> None:
            if cancelled.is_set():
                raise asyncio.CancelledError

        def call() -> ToolAnswer:
            check_cancelled.set(check)
            return self.call(name, arguments)

        try:
            return await asyncio.to_thread(call)
        except asyncio.CancelledError:
            cancelled.set()
            raise


def _object(tool: Tool, arguments: str | bytes | Mapping[str, Any]) -> Mapping[str, Any]:
    """The arguments as a mapping; an empty text gives an empty one. Raises WrongArguments."""
    read: object = arguments
    if isinstance(arguments, str | bytes):
        try:
            read = json.loads(arguments) if arguments.strip() else {}
        except (ValueError, RecursionError) as error:
            raise WrongArguments(f"{tool.name}: the arguments are no JSON: {error}") from error
    if not isinstance(read, Mapping) or not all(isinstance(name, str) for name in read):
        raise WrongArguments(f"{tool.name}: the arguments are no JSON object")
    return read


def _effect(answer: ToolAnswer) -> Any:
    """The effect that a question shows: the memories, and the changes of each step."""
    steps = answer.data["result"]["results"]
    return answer.data.get("memories"), [(step["affected"], step["changes"]) for step in steps]
