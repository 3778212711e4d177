"""The tools, as calls on one store: arguments in, an answer out. They know no protocol."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from text2mem.doors.agent.asking import Asking
from text2mem.doors.agent.conversation import Conversation
from text2mem.doors.agent.wording import Answer, line, shown
from text2mem.errors import ExecutionError
from text2mem.ir.record import as_row
from text2mem.program import Program

NEAREST = 5
_INEXACT = {"related": "No exact answer. Related facts:", "search": "No exact answer. Found:"}
_ENTRIES = 20
"""How many changes of a memory are told of in words: the last ones."""


class Verbs(Asking):
    """What an agent may do with a store, at any door. Each raises Text2MemError and its kinds."""

    def remember(self, talk: Conversation, text: str, tags: Sequence[str] = ()) -> Answer:
        """Store exactly these words."""
        args: dict[str, Any] = {"payload": {"text": text}}
        if tags:
            args["tags"] = list(tags)
        program = self._loaded([{"stage": "ENC", "op": "Encode", "args": args}])
        with self.store:
            return self.run(talk, self.store.memory.with_facts(program), text)

    def recall(self, talk: Conversation, question: str, k: int = NEAREST) -> Answer:
        """What is so, each line with its source, and the ``k`` nearest notes beside it."""
        with self.store:
            memory = self.store.memory
            found = memory.recall(question)
            told = {id_ for each in found.lines for id_ in each.records}
            told |= {fact.id for fact in found.facts}
            near = memory.ledger.search(question, limit=k + len(told))
            notes = [pair for pair in near if pair[0].id not in told][:k]
            ids = (*dict.fromkeys((*told, *(record.id for record, _ in notes))),)
            talk.say(question, tuple(sorted(ids, key=int)))
        lines = [line(each.text, 2_000) for each in found.lines]
        if lines and found.found in _INEXACT:
            lines.insert(0, _INEXACT[found.found])
        rows = [{**as_row(record), "score": round(score, 6)} for record, score in notes]
        if rows:
            lines += ["Nearest notes:", *(f"{shown(row)}  ({row['time'] or '-'})" for row in rows)]
        data = {
            **found.as_dict(), "status": "recalled", "known": bool(lines), "notes": rows,
        }  # fmt: skip
        return Answer("\n".join(lines) or "Nothing is known about this.", data)

    def undo(self, talk: Conversation, trace_id: str | None = None) -> Answer:
        """Take back a program, or the last one of this conversation."""
        with self.store:
            return self.answer(talk, self.store.dialogue(talk).undo(trace_id))

    def history(self, talk: Conversation, id: str) -> Answer:
        """How a memory came to be what it is, oldest change first."""
        id = id.removeprefix("m").removeprefix("e")
        with self.store:
            record = self.store.memory.show(id)
            entries = self.store.memory.history(id)
        if record is None and not entries:
            raise ExecutionError("not-found", f"there is no memory {line(id)} to tell of")
        lines = [f"memory {id} is gone"]
        if record is not None:
            state = "deleted" if record.deleted else "archived" if record.archived else "active"
            lines = [f"{shown(as_row(record))}  ({state})"]
        if len(entries) > _ENTRIES:
            lines.append(f"({len(entries) - _ENTRIES} earlier changes are left out)")
        for entry in entries[-_ENTRIES:]:
            head, changes = entry.in_words(lambda _, value: line(value))
            lines += [line(head), *(f"  {each}" for each in changes)]
        data = {
            "status": "history", "entries": [entry.as_dict() for entry in entries],
            "memory": None if record is None else {
                **as_row(record), "deleted": record.deleted, "archived": record.archived,
            },
        }  # fmt: skip
        return Answer("\n".join(lines), data)

    def run_program(
        self, talk: Conversation, program: Sequence[Any], dry_run: bool = False
    ) -> Answer:
        """Run a typed program, or show what it would do."""
        loaded = self._loaded(list(program))
        with self.store:
            if dry_run:
                return self.previewed(talk, self.store.dialogue(talk).offer(loaded))
            return self.run(talk, loaded)

    def _loaded(self, document: list[Any]) -> Program:
        context = self.store.context
        return Program.load(document, now=context.clock.now(), tz=context.tz)
