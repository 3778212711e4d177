"""The items of one session of an agent, stored as episodes. No framework is imported here.

An item is a message, a call of a tool, or the result of a call. Items are archived, so that a
recall does not find what was just said in the same conversation. With ``learn``, the messages of
the user are not archived, and are queued for extraction.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from text2mem.doors.frameworks.toolbox import lock_of
from text2mem.errors import ConfigurationError
from text2mem.ir.ops import ByFilter
from text2mem.ir.record import Record, as_tags
from text2mem.ledger.episode import EPISODE, Message, Role, encoding
from text2mem.ledger.writing import Run, in_one_transaction
from text2mem.memory import Memory

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


class Transcript:
    """The items of one session, for the tenant and actor of the memory's context.

    With ``learn``, the user's messages are queued for the extraction of facts, by
    ``memory.work()`` or a worker. Every change is a program. Raises ConfigurationError for a blank
    session, ExecutionError if the store refuses, and ValidationError for an item that is not JSON.
    """

    def __init__(self, session: str, memory: Memory, *, learn: bool = False) -> None:
        if not str(session).strip():
            raise ConfigurationError("a session is a name, and this one is empty")
        self._session = str(session)
        self._memory = memory
        self._learn = learn
        self._lock = lock_of(memory)
        self._tags = as_tags([f"session:{session}"])

    def items(self, limit: int | None = None) -> list[dict[str, Any]]:
        """Return the items, oldest first. With a limit, only the last ones."""
        with self._lock:
            held = self._records()
        if limit is not None and limit >= 0:
            held = held[len(held) - min(limit, len(held)) :]
        return [_item(record) for record in held]

    def add(self, items: Sequence[Item]) -> None:
        """Add items, all or none."""
        if not items:
            return
        with self._lock:
            ledger = self._memory.ledger.still()
            now = ledger.now()
            steps: list[dict[str, Any]] = []
            archived, learnt = list[str](), list[int]()
            for number, item in enumerate(items):
                message = _message(item)
                step = encoding(message, session=self._session, at=now)
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

    def pop(self) -> dict[str, Any] | None:
        """Delete the last item and return it; None if there is none."""
        taken = self._delete(slice(-1, None))
        return _item(taken[0]) if taken else None

    def clear(self) -> None:
        """Delete all items. An undo restores them."""
        self._delete(slice(None))

    def _records(self) -> list[Record]:
        """The episodes of the session, oldest first."""
        found = self._memory.ledger.rows(
            ByFilter(
                type=EPISODE, has_tags=self._tags, facets={"session": self._session},
                include=("archived",), limit=_MOST,
            )
        )  # fmt: skip
        return sorted(found, key=lambda record: int(record.id))

    def _delete(self, part: slice) -> list[Record]:
        """Delete a part of the items and return it. It is read in the transaction that writes,
        since another process may have changed the session."""

        def write(run: Run) -> list[Record]:
            taken = self._records()[part]
            if taken:
                run(_each("Delete", [record.id for record in taken]))
            return taken

        with self._lock:
            return in_one_transaction(self._memory.ledger.still(), write)


def _each(op: str, ids: Sequence[str], **more: Item) -> list[dict[str, Any]]:
    """The steps of an op on these memories, at most _STEP in each."""
    parts = (list(ids[start : start + _STEP]) for start in range(0, len(ids), _STEP))
    return [{"stage": "STO", "op": op, "target": {"ids": part}, **more} for part in parts]


def _message(item: Item) -> Message:
    """An item as a message: with its text, or without one, with the whole item as structured data.

    Raises ConfigurationError for what is no object, or an empty one.
    """
    given: object = item
    if not isinstance(given, Mapping) or not item:
        raise ConfigurationError(f"an item of a session is an object, not {given!r:.40}")
    role = _ROLES.get(str(item.get("role")))
    said = "" if role is None else _words(item.get("content"))
    if role is None:
        role = "tool" if str(item.get("type", "")).endswith("_output") else "assistant"
    if said.strip():
        return Message.of(Message(text=said, role=role))
    return Message.of(Message(structured=dict(item), role=role))


def _words(content: Any) -> str:
    """The text of a message's content: a text, or a list of parts of which some have a text."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = [part.get("text") for part in parts if isinstance(part, Mapping)]
    return "\n".join(text for text in texts if isinstance(text, str))


def _item(record: Record) -> dict[str, Any]:
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
