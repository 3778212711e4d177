"""The six calls that other memories have, too, and the history of memories. What changes something
is a program."""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, get_args

from text2mem.adapters.base import Adapter
from text2mem.errors import ConfigurationError, ValidationError
from text2mem.executor import history as past
from text2mem.executor.history import Logged
from text2mem.executor.lineage import Lineage, lineage
from text2mem.ir.arguments import as_id, as_limit
from text2mem.ir.context import ExecutionContext
from text2mem.ir.diagnostic import Diagnostic
from text2mem.ir.journal import Entry
from text2mem.ir.ops import ByFilter
from text2mem.ir.ports import Away, StoreView
from text2mem.ir.record import AsJson, Record, as_tags, jsonable
from text2mem.ir.result import ProgramResult
from text2mem.ledger.ledger import Ledger
from text2mem.program import Program

NEAREST, LISTED = 5, 100


@dataclass(frozen=True, slots=True)
class Found(AsJson):
    """A memory that a search found. Scores of one search can be compared."""

    record: Record
    score: float

    @property
    def id(self) -> str:
        return self.record.id

    @property
    def text(self) -> str:
        return self.record.text

    def __str__(self) -> str:
        return str(self.record)


class PlainMemory(ABC):
    """Add, search, get, list, update, delete; changes are journalled and can be undone. And log,
    show, history, lineage: the history of memories, as far as the caller's actor may read it.

    ``tags`` are one tag or several. Each call raises ExecutionError if the store refuses,
    ValidationError for an illegal value, ConfigurationError for an id that is no text.
    """

    adapter: Adapter
    """The open backend. Only ``execute`` checks rights, locks and width; calls of it do not."""
    context: ExecutionContext
    """Who calls, and by which clock."""

    @property
    @abstractmethod
    def ledger(self) -> Ledger:
        """The store as the caller's actor may search it."""

    @abstractmethod
    def execute(self, program: Program | Any) -> ProgramResult:
        """Run a program on this store."""

    @abstractmethod
    def with_facts(self, program: Program) -> Program:
        """The program with its consequences for facts."""

    def view(self) -> StoreView:
        """The store as a planner sees it, limited to what the caller's actor may read: for the
        ``store`` of ``text2mem.compile``, and for code of one's own that only reads."""
        return self.adapter.view(self.context)

    def add(
        self,
        text: str,
        *,
        tags: str | Sequence[str] = (),
        time: datetime | str | None = None,
        type: str | None = None,
        subject: str | None = None,
        topic: str | None = None,
        location: str | None = None,
        source: str | None = None,
        facets: Mapping[str, Any] | None = None,
    ) -> str:
        """Store exactly these words as a new memory; return its id.

        If the store has a model that reads, what the words state of declared attributes becomes
        facts. A memory with a ``type`` stays a note. Warnings are logged.
        """
        _written(text)
        more = {
            "tags": _several(tags), "time": _instant(time), "type": type, "subject": subject,
            "topic": topic, "location": location, "source": source, "facets": facets,
        }  # fmt: skip
        args = {name: jsonable(value) for name, value in more.items() if value}
        encode = {"stage": "ENC", "op": "Encode", "args": {"payload": {"text": text}, **args}}
        stored = self._run(encode).results
        log_warnings([told for step in stored for told in step.warnings])
        return stored[0].created[0]

    def search(
        self, query: str, k: int = NEAREST, *, tags: str | Sequence[str] = ()
    ) -> Sequence[Found]:
        """The ``k`` memories nearest to some words that have all of the tags, the best first."""
        _written(query)
        found = self.ledger.search(query, limit=as_limit("k", k), tags=_several(tags))
        return [Found(record, score) for record, score in found]

    def get(self, id: str) -> Record | None:
        """A memory, also if it is archived; None if there is none, or it is deleted."""
        id = as_id(id)
        record = self.view().find([id]).get(id)
        return None if record is None or record.deleted else record

    def list(
        self, *, tags: str | Sequence[str] = (), limit: int = LISTED, state: Away | None = None
    ) -> Sequence[Record]:
        """The visible memories that have all of the tags, the newest by ``when`` first. With a
        ``state``, those that are archived, or deleted, instead."""
        if state not in (None, *get_args(Away)):
            raise ConfigurationError(f"no such state: {state!r:.80}", hint="archived or deleted")
        target = ByFilter(has_tags=_several(tags), limit=as_limit("limit", limit))
        return [*self.ledger.rows(target, away=state)]

    def update(self, id: str, text: str) -> ProgramResult:
        """Replace a memory's text, or a fact's value; facts that were read from it follow."""
        held = self.get(id)
        says = "value" if held is not None and held.is_fact else "text"
        return self._on("Update", id, set={says: _written(text)})

    def delete(self, id: str) -> ProgramResult:
        """Hide a memory, with the facts that rest on it, until an undo."""
        return self._on("Delete", id)

    # --- history of memories -------------------------------------------------------------

    def log(self, *, limit: int = 20) -> Sequence[Logged]:
        """The last programs that changed something, newest first. Raises ConfigurationError."""
        return past.log(self.adapter, self.context, limit=as_limit("limit", limit))

    def show(self, id: str) -> Record | None:
        """A memory with all of its fields, also if archived or deleted; None if unknown."""
        id = as_id(id)
        return past.find(self.adapter, self.context, [id]).get(id)

    def history(self, id: str) -> Sequence[Entry]:
        """Every change of a memory, oldest first."""
        return past.history(self.adapter, self.context, as_id(id))

    def lineage(self, id: str) -> Lineage | None:
        """What a memory was made from, and what was made from it."""
        return lineage(self.adapter, self.context, as_id(id))

    # --- as programs ---------------------------------------------------------------------

    def _on(self, op: str, id: str, **args: Any) -> ProgramResult:
        return self._run({"stage": "STO", "op": op, "target": {"ids": [as_id(id)]}, "args": args})

    def _run(self, instance: Mapping[str, Any]) -> ProgramResult:
        context = self.context
        program = Program.load([instance], now=context.clock.now(), tz=context.tz)
        return self.execute(self.with_facts(program)).checked()


def log_warnings(warnings: Sequence[str]) -> None:
    """Log the warnings of a call that returns only ids: the first one, and their number."""
    if warnings:
        more = f", and {len(warnings) - 1} more warnings" if len(warnings) > 1 else ""
        logging.getLogger("text2mem").warning("%s%s", warnings[0], more)


def _several(tags: object) -> tuple[str, ...]:
    """Tags as they are stored. Raises ValidationError for neither a text nor texts."""
    given = tuple(tags) if isinstance(tags, Iterable) and not isinstance(tags, str) else (tags,)
    if not all(isinstance(tag, str) for tag in given):
        raise _wrong(
            "wrong-type", "tags", f"{tags!r:.40} is no tag", 'write "tea", or ["tea", "boat"]'
        )
    return as_tags(given)


def _instant(time: datetime | str | None) -> Any:
    """An instant in the stored form; one without a zone as text, which is read in the caller's;
    other values as they are. Raises ValidationError."""
    try:
        return jsonable(time)
    except (ValueError, OverflowError) as error:
        said = f"{time} is at the end of the calendar"
        raise _wrong("unreadable-time", "time", said, "give a later one") from error


def _wrong(code: str, where: str, said: str, hint: str) -> ValidationError:
    return ValidationError([Diagnostic(code, where, said, hint)])


def _written(text: object) -> str:
    """The words of a memory or a search. Raises ValidationError if there are none."""
    if not isinstance(text, str) or not text.strip():
        raise _wrong("bad-length", "text", f"there are no words in {text!r:.40}", "give a text")
    return text
