"""A text-to-SQL task as a world: looking things up, trying statements, asking, submitting."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field

from text2mem import prompts
from text2mem.errors import ModelOutputError
from text2mem.ir.words.segment import query_terms
from text2mem.providers.base import Message, Provider, Request, Sampling
from text2mem_bench.agent.loop import Action, Cost, Hints, Observation, State
from text2mem_bench.sql.database import Refused, Rows, connect, execute
from text2mem_bench.sql.tasks import Part, Task

COSTS: Mapping[str, Cost] = {
    "schema": "free", "execute": "try", "ask": "ask", "submit": "submit",
}  # fmt: skip
_WORDS = {"schema": "of", "execute": "sql", "ask": "question"}
"""Under which name the model writes the words of an action; a submission is of what ran last."""
_LONGEST_ANSWER = 120
_SHOWN_ROWS, _SHOWN_VALUES, _SHOWN = 3, 8, 240
_ORDERED = "ORDER BY"
_UNSURE = "I do not know what you mean. Which part of what I said is unclear?"
_NAMED, _RELATED = 1.0, 0.5


@dataclass(slots=True)
class SqlWorld:
    """``connection`` is the task's own copy of its database, as the phase before left it."""

    task: Task
    connection: sqlite3.Connection
    model: Provider
    before: tuple[Message, ...] = ()
    costs: Mapping[str, Cost] = field(default_factory=lambda: COSTS)
    tried: str = ""

    @property
    def request(self) -> str:
        return self.task.request

    @property
    def place(self) -> str:
        return self.task.database.name

    def possible(self, state: State) -> Sequence[str]:
        """What there is budget for: a statement is submitted once, after it was tried and ran.

        Nothing is, where no statement can be tried any more.
        """
        last = next(
            (s for s in reversed(state.steps) if s.action.name in ("execute", "submit")), None
        )
        ran = last is not None and last.action.name == "execute" and last.observation.ok
        if not ran and not state.left.allows("try"):
            return ()
        out = "execute" if ran else "submit"
        return [name for name, cost in COSTS.items() if state.left.allows(cost) and name != out]

    def decide(self, state: State, hints: Hints) -> Action:
        asked = Request(
            self.turns(state, hints), _schema(self.possible(state)),
            sampling=Sampling(max_tokens=_LONGEST_ANSWER),
        )  # fmt: skip
        try:
            data = self.model.complete(asked).data
        except ModelOutputError:
            return Action("none")
        return Action(str(data["do"]), str(data.get(_WORDS.get(data["do"]), "")))

    def turns(self, state: State, hints: Hints) -> tuple[Message, ...]:
        """What the model is shown: the task, and every action with what came of it."""
        system = prompts.load("sql_agent").filled(outline=self.task.database.outline)
        request = f"Request: {state.request}"
        told = [*([hints.episode] if hints.episode else []), request]
        turns = [*system, *self.before]
        for step in state.steps:
            turns.append(Message("user", "\n".join([*told, *([step.hint] if step.hint else [])])))
            turns.append(Message("assistant", step.written))
            told = [step.observation.text]
        turns.append(Message("user", "\n".join([*told, *([hints.turn] if hints.turn else [])])))
        return tuple(turns)

    def act(self, action: Action) -> Observation:
        """Do it: only a submission that is right changes the database."""
        return {
            "schema": self._looked_up, "execute": self._tried,
            "ask": self._asked, "submit": self._submitted,
        }[action.name](action.text)  # fmt: skip

    def written(self, action: Action) -> str:
        words = {_WORDS[action.name]: action.text} if action.name in _WORDS else {}
        return json.dumps({"do": action.name, **words}, ensure_ascii=False)

    def _looked_up(self, what: str) -> Observation:
        """What a word of the house means, else values of a column, else the columns of a table."""
        database, wanted = self.task.database, what.casefold().strip()
        meant = [
            f"{term}: {means}"
            for term, means in database.terms.items()
            if term.casefold() in wanted
        ]
        if meant:
            return Observation("\n".join(meant)[:_SHOWN])
        tables = [table for table in database.tables if table in wanted]
        named = [
            column
            for column in database.columns
            if column.name in wanted and (not tables or column.table in tables)
        ]
        if not named and tables:
            return Observation(database.outline_of(tables[0]))
        if not named:
            return Observation(f"there is no column or word '{what[:40]}'", ok=False)
        column = named[0]
        values = ", ".join(map(str, database.values(self.connection, column)[:_SHOWN_VALUES]))
        return Observation(f"{column.table}.{column.name}: {values}"[:_SHOWN])

    def _tried(self, sql: str) -> Observation:
        self.tried = sql
        try:
            with copied(self.connection) as copy:
                before = copy.total_changes
                rows = execute(copy, sql)
                changed = copy.total_changes - before
        except Refused as error:
            return Observation(f"error: {error}"[:_SHOWN], ok=False)
        return Observation(_table(rows) if not changed else f"{changed} rows changed")

    def _asked(self, question: str) -> Observation:
        text, part = answer(question, self.task.open)
        return Observation(text, ok=part is not None)

    def _submitted(self, _: str) -> Observation:
        if not right(self.tried, self.task, self.connection):
            return Observation("that is not what I meant", ok=False)
        if self.task.kind == "WRITE":
            execute(self.connection, self.task.sql)
        return Observation("that is right", solved=True)


def _schema(names: Sequence[str]) -> Mapping[str, object]:
    return {"anyOf": [_form(name) for name in names]}


def _form(name: str) -> Mapping[str, object]:
    words = {_WORDS[name]: {"type": "string", "maxLength": 400}} if name in _WORDS else {}
    return {
        "type": "object", "properties": {"do": {"const": name}, **words},
        "required": ["do", *words], "additionalProperties": False,
    }  # fmt: skip


def right(sql: str, task: Task, connection: sqlite3.Connection) -> bool:
    """Whether a statement does what the task's own does, judged on copies."""
    try:
        mine, theirs = (_effect(each, task, connection) for each in (sql, task.sql))
    except Refused:
        return False
    return mine == theirs


def _effect(sql: str, task: Task, connection: sqlite3.Connection) -> object:
    with copied(connection) as copy:
        rows = execute(copy, sql)
        if task.kind == "WRITE":
            return task.database.contents(copy)
        if copy.total_changes:
            raise Refused("a question changed something")
        comparable = [tuple(map(_plain, row)) for row in rows]
    return comparable if _ORDERED in task.sql else sorted(comparable, key=repr)


@contextmanager
def copied(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """A copy of a database as it is now."""
    with closing(connect(connection.serialize())) as copy:
        yield copy


def _plain(value: object) -> object:
    return round(value, 2) if isinstance(value, float) else value


def _table(rows: Rows) -> str:
    if not rows:
        return "no rows"
    shown: Sequence[str] = [" | ".join(map(str, row)) for row in rows[:_SHOWN_ROWS]]
    more = [f"… {len(rows)} rows"] if len(rows) > _SHOWN_ROWS else []
    return "\n".join([*shown, *more])[:_SHOWN]


def answer(question: str, open_parts: Sequence[Part]) -> tuple[str, Part | None]:
    """What the user, who knows what was meant, answers to a question and no more; and the phrase
    that it makes clear, None where it makes none.

    A question is about the phrase whose words it uses, or else those of its meaning.
    """
    asked = question.casefold()
    likely = [(_about(asked, part), -place, part) for place, part in enumerate(open_parts)]
    score, _, part = max(likely, default=(0.0, 0, None), key=lambda each: each[:2])
    if part is None or score == 0:
        return _UNSURE, None
    assert part.answer is not None
    return part.answer, part


def _about(question: str, part: Part) -> float:
    """How much a question is about a phrase: the whole of it, or a share of its words."""
    vague, asked = str(part.vague), frozenset(query_terms(question))
    named, related = query_terms(vague), query_terms(f"{part.answer} {part.sql}")
    shares = sum(
        weight * len(asked.intersection(terms)) / len(terms)
        for weight, terms in ((_NAMED, named), (_RELATED, related))
        if terms
    )
    return shares + (vague.casefold() in question)
