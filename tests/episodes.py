"""The dialogues of ``fixtures/episodes``, and one of them played through the ledger.

Nothing is read out of a turn here: the gold candidates are encoded as the facts that they are
(``fixtures/episodes/README.md``), and what the store makes of them is noted.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zoneinfo import ZoneInfo

from tests.fixtures import ROOT
from text2mem import ExecutionContext, Memory
from text2mem.clock import SetClock
from text2mem.ir.record import Record
from text2mem.ir.registry import Registry
from text2mem.ir.times.temporal import format_instant
from text2mem.ir.words.naming import matches, name_key
from text2mem_bench.episodes.cases import extended

FOLDER = ROOT / "episodes"
LOCOMO = FOLDER / "locomo.json"
BEFORE_ALL = "0001-01-01T00:00:00Z"
"""Where a fact begins of which only an end is told."""

SURE, UNSURE = 0.9, 0.1

Json = dict[str, Any]
Fact = tuple[str, str, str]
"""Subject, attribute and the value as JSON."""


def read(path: Path) -> Any:
    """The JSON of a file."""
    return json.loads(path.read_text("utf-8"))


CASES: dict[str, Json] = {
    path.stem: read(path)
    for path in sorted(FOLDER.glob("*.json"))
    if not path.name.endswith(".schema.json") and path != LOCOMO
}
ONE_TENANT = {id_: case for id_, case in CASES.items() if len(case["tenants"]) == 1}
"""Those that can be played in memory, where tenants share no store."""


def turns(case: Json) -> list[Json]:
    """The turns in the order in which they are played, each with its tenant."""
    found = [{**turn, "tenant": s["tenant"]} for s in case["sessions"] for turn in s["turns"]]
    return sorted(found, key=lambda turn: str(turn["at"]))


def said(turn: Json) -> str:
    """The text of a turn; a structured one's is its JSON."""
    if "text" in turn:
        return str(turn["text"])
    return json.dumps(turn["structured"], ensure_ascii=False)


def candidates(case: Json) -> list[tuple[Json, Json]]:
    """Every gold candidate with its turn."""
    return [(turn, each) for turn in turns(case) for each in turn.get("gold", ())]


def questions(case: Json) -> list[Json]:
    """The questions that the ledger answers."""
    return [question for question in case["questions"] if "subject" in question]


def ledgers(case: Json) -> list[Json]:
    """The expected ledgers in the order of their turns."""
    order = [turn["episode"] for turn in turns(case)]
    return sorted(case["ledger"], key=lambda look: order.index(look["after"]))


def registry(case: Json) -> Registry:
    """The shipped registry with what the case adds."""
    return extended(case.get("registry", {}))


def covered(attribute: str, patterns: Iterable[str]) -> bool:
    """Whether a policy's attributes or patterns name an attribute."""
    return any(matches(f, name_key(attribute)) if "*" in f else f == name_key(attribute)
               for f in map(name_key, patterns))  # fmt: skip


# --- facts ---------------------------------------------------------------------------------


def sources(record: Record) -> list[str]:
    """The episodes that a fact was heard in, each once."""
    return list(dict.fromkeys(str(entry["episode"]) for entry in record.sources))


def as_facts(records: Iterable[Record], without: set[str]) -> list[Json]:
    """Facts as the cases write them; ``without`` are episodes that have been forgotten."""
    return [
        {
            "subject": record.subject,
            "attribute": record.attribute,
            "value": record.value,
            "sources": [episode for episode in sources(record) if episode not in without],
        }
        for record in records
    ]


def as_fact(fact: Json) -> Fact:
    """Which fact it is that a case writes."""
    return fact["subject"], fact["attribute"], json.dumps(fact["value"])


def begin(record: Record) -> datetime:
    """Where a fact begins."""
    assert record.valid_from is not None
    return record.valid_from


def became(new: Record, closed: Record | None, written: list[Record], now: datetime) -> str:
    """What the ledger did with a statement that made a version, in the words of the schema."""
    if closed is not None and begin(closed) == begin(new):
        return "correct"
    end = new.valid_to
    cut_short = end is not None and any(
        (other.subject, other.attribute) == (new.subject, new.attribute)
        and begin(other) >= end
        and (other.valid_to is None or other.valid_to > begin(other))
        and not other.pending
        for other in written
    )
    if cut_short or (end is not None and end <= now):
        return "late"
    return "new" if closed is None else "supersede"


# --- playing -------------------------------------------------------------------------------


def at(text: str) -> datetime:
    """An instant as the cases write it."""
    return datetime.fromisoformat(text)


@dataclass(slots=True)
class Play:
    """A case being played, and what was seen on the way, in the order of the case."""

    case: Json
    clock: SetClock
    stores: dict[str, Memory]
    ids: dict[str, list[str]]
    outcomes: list[str] = field(default_factory=list)
    ledgers: list[tuple[list[Json], list[Json]]] = field(default_factory=list)
    answers: list[tuple[set[str], list[set[str]]]] = field(default_factory=list)
    erased: list[set[Fact]] = field(default_factory=list)
    left: list[dict[str, list[Json]]] = field(default_factory=list)
    forgotten: set[str] = field(default_factory=set)

    def run(self, tenant: str, instance: Json) -> Any:
        """The result of a program of one op."""
        done = self.stores[tenant].execute([instance])
        assert done.ok, done.error
        return done.results[0]

    def found(self, tenant: str, id_: str) -> Record:
        """The memory with an id."""
        record = self.stores[tenant].show(id_)
        assert record is not None
        return record

    def records(self, tenant: str) -> list[Record]:
        """Every fact that was written and has not been erased, deleted ones too."""
        shown = (self.stores[tenant].show(id_) for id_ in self.ids[tenant])
        return [record for record in shown if record is not None]

    def take(self, turn: Json, gold: Json) -> str:
        """Write what a candidate says; what became of it."""
        tenant, outcome = turn["tenant"], str(gold["outcome"])
        if outcome == "ignored":
            assert covered(gold["attribute"], self.case["policy"]["deny"])
        elif outcome == "retract":
            old = self.concerned(tenant, gold)
            edit = {"op": "Update", "args": {"set": {"valid_to": gold["valid_to"]}}}
            what = {"op": "Delete"} if old.pending else edit
            self.run(tenant, {"stage": "STO", "target": {"ids": [old.id]}, **what})
        elif outcome == "new" and "concerns" in gold:
            waits = self.concerned(tenant, gold)
            assert waits.pending and format_instant(begin(waits)) == gold["valid_from"]
            edit = {"op": "Update", "args": {"set": {"confidence": SURE}}}
            self.run(tenant, {"stage": "STO", "target": {"ids": [waits.id]}, **edit})
            assert not self.found(tenant, waits.id).pending
        else:
            return self.encode(turn, gold)
        return outcome

    def concerned(self, tenant: str, gold: Json) -> Record:
        """The one fact that a candidate says it is about."""
        (record,) = (
            record
            for record in self.records(tenant)
            if as_fact(as_facts([record], set())[0]) == as_fact(gold)
            and gold["concerns"] in sources(record)
        )
        return record

    def encode(self, turn: Json, gold: Json) -> str:
        """Encode a candidate; what became of it."""
        tenant = turn["tenant"]
        args = {
            "payload": {"structured": {k: gold[k] for k in ("subject", "attribute", "value")}},
            "type": gold["type"],
            "tags": ["fact"],
            "valid_from": gold["valid_from"] or BEFORE_ALL,
            "source_episode_id": turn["episode"],
            "confidence": UNSURE if gold["outcome"] == "pending" else SURE,
        }
        if "valid_to" in gold:
            args["valid_to"] = gold["valid_to"]
        result = self.run(tenant, {"stage": "ENC", "op": "Encode", "args": args})
        self.ids[tenant] += result.created
        if not result.created:
            assert gold.get("concerns") in sources(self.found(tenant, result.affected[0]))
            return "repeat"
        new = self.found(tenant, result.created[0])
        if new.pending:
            return "pending"
        closed = self.found(tenant, new.supersedes) if new.supersedes else None
        if closed is not None and "concerns" in gold:
            assert gold["concerns"] in sources(closed)
        return became(new, closed, self.records(tenant), self.clock.now())

    def current(self, tenant: str) -> list[Json]:
        """The facts of a tenant that hold now."""
        target = {"filter": {"has_tags": ["fact"], "limit": 500}}
        rows = self.run(tenant, {"stage": "RET", "op": "Retrieve", "target": target}).rows
        return as_facts((self.found(tenant, row["id"]) for row in rows), self.forgotten)

    def ask(self, question: Json) -> tuple[set[str], list[set[str]]]:
        """The values that answer a question, and the sources of each version that led there."""
        tenant, subjects = question["tenant"], [question["subject"]]
        instants: Json = {key: question[key] for key in ("as_of", "known_at") if key in question}
        rows: list[Json] = []
        led: list[set[str]] = []
        for attribute in [*question.get("via", ()), question["attribute"]]:
            args: Json = {"include": ["value"], **instants}
            rows = []
            for subject in subjects:
                target = {"filter": {"subject": subject, "attribute": attribute}}
                read_op = {"stage": "RET", "op": "Retrieve", "target": target, "args": args}
                rows += self.run(tenant, read_op).rows
            led += [set(sources(self.found(tenant, row["id"]))) for row in rows]
            subjects = [name_key(str(row["value"])) for row in rows]
        return {json.dumps(row["value"]) for row in rows}, led

    def forget(self, order: Json) -> None:
        """Erase what an order covers, and note what is left for every tenant."""
        self.clock.at, tenant = at(order["at"]), order["tenant"]
        self.forgotten |= set(order["gone"]["episodes"])
        doomed = [record for record in self.records(tenant) if self.falls(record, order)]
        if doomed:
            target = {"ids": [record.id for record in doomed]}
            hard = {"op": "Delete", "target": target, "args": {"soft": False}}
            self.run(tenant, {"stage": "STO", **hard})
        self.erased.append({as_fact(fact) for fact in as_facts(doomed, set())})
        self.left.append({each: self.current(each) for each in self.stores})

    def falls(self, record: Record, order: Json) -> bool:
        """Whether a deletion takes a fact: all of its sources are gone, or it names the subject."""
        if "episode" in order:
            return self.forgotten.issuperset(sources(record))
        return order["subject"] in (record.subject, name_key(str(record.value)))


@cache
def played(id_: str) -> Play:
    """A case played to its end, once. Tenants that share a case share a database file."""
    case = CASES[id_]
    with ExitStack() as stack:
        path = "memory:"
        if len(case["tenants"]) > 1:
            path = f"{stack.enter_context(TemporaryDirectory())}/store.db"
        clock, zone = SetClock(at(turns(case)[0]["at"])), ZoneInfo(case["zone"])
        stores = {
            tenant: stack.enter_context(
                Memory(
                    path,
                    context=ExecutionContext(tenant=tenant, clock=clock, tz=zone, confirmed=True),
                )
            )
            for tenant in case["tenants"]
        }
        for store in stores.values():
            store.registry = registry(case)
        play = Play(case, clock, stores, {tenant: [] for tenant in stores})
        for turn in turns(case):
            clock.at = at(turn["at"])
            for gold in turn.get("gold", ()):
                if "optional" not in gold:
                    play.outcomes.append(play.take(turn, gold))
            for look in ledgers(case):
                if look["after"] == turn["episode"]:
                    facts = play.records(look["tenant"])
                    waiting = [fact for fact in facts if fact.pending and not fact.deleted]
                    play.ledgers.append((play.current(look["tenant"]), as_facts(waiting, set())))
        clock.at = at(case["now"])
        play.answers += [play.ask(question) for question in questions(case)]
        for order in case["forget"]:
            play.forget(order)
    return play
