"""The dialogues of ``fixtures/episodes`` say one thing throughout.

Their candidates are encoded as facts; the ledgers, answers and deletions that they expect are what
the store then holds.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from jsonschema import Draft202012Validator

from tests.fixtures import ROOT
from text2mem import Memory
from text2mem.ir.context import ExecutionContext
from text2mem.ir.naming import fold, matches
from text2mem.ir.record import Record
from text2mem.ir.registry import Registry
from text2mem.ir.temporal import format_instant
from text2mem.ir.written_dates import read_date

FOLDER = ROOT / "episodes"
LOCOMO = FOLDER / "locomo.json"
BEFORE_ALL = "0001-01-01T00:00:00Z"
SHIPPED = json.loads((ROOT.parent / "schema" / "registry.v1.json").read_text("utf-8"))

Json = dict[str, Any]
Fact = tuple[str, str, str]
"""Subject, attribute and the value as JSON."""


def _read(path: Path) -> Any:
    return json.loads(path.read_text("utf-8"))


CASES: dict[str, Json] = {
    path.stem: _read(path)
    for path in sorted(FOLDER.glob("*.json"))
    if not path.name.endswith(".schema.json") and path != LOCOMO
}
every_case = pytest.mark.parametrize("case", CASES.values(), ids=CASES)


def turns(case: Json) -> list[Json]:
    """The turns in the order in which they are played, each with its tenant."""
    found = [{**turn, "tenant": s["tenant"]} for s in case["sessions"] for turn in s["turns"]]
    return sorted(found, key=lambda turn: turn["at"])


def said(turn: Json) -> str:
    """The text of a turn; a structured one's is its JSON."""
    return turn["text"] if "text" in turn else json.dumps(turn["structured"], ensure_ascii=False)


def candidates(case: Json) -> list[tuple[Json, Json]]:
    """Every gold candidate with its turn."""
    return [(turn, each) for turn in turns(case) for each in turn.get("gold", ())]


def registry(case: Json) -> Registry:
    added = case.get("registry", {"attributes": {}})["attributes"]
    return Registry.load(
        {**SHIPPED, "version": 2, "attributes": {**SHIPPED["attributes"], **added}}
    )


def names(case: Json, tenant: str, known: Registry) -> Iterator[Json]:
    """Everything of a tenant in a case that has a subject and an attribute."""
    yield from (c for turn, c in candidates(case) if turn["tenant"] == tenant)
    of_tenant = [e for e in case["ledger"] + case["forget"] if e["tenant"] == tenant]
    for each in of_tenant:
        yield from chain(each["facts"], each.get("pending", ()))
        yield from each.get("gone", {"facts": ()})["facts"]


def compared(attribute: str, value: Any, known: Registry) -> str:
    """A value as the README compares it."""
    plain = known.normalise(known.attribute(attribute), value)
    if not isinstance(plain, str):
        return json.dumps(plain)
    day = read_date(plain)
    if day is not None:
        return day.isoformat()
    folded = unicodedata.normalize("NFKC", plain).casefold().strip().removesuffix(".")
    return re.sub(r"^(an?|the) ", "", folded)


# --- playing -------------------------------------------------------------------------------


@dataclass(slots=True)
class Hand:
    """A clock that is set."""

    at: str

    def now(self) -> datetime:
        return datetime.fromisoformat(self.at)


@dataclass(slots=True)
class Play:
    """A case played to its end; what was seen on the way."""

    case: Json
    clock: Hand
    stores: dict[str, Memory]
    ids: dict[str, list[str]]
    outcomes: list[tuple[str, str]] = field(default_factory=list)
    ledgers: list[tuple[list[Json], list[Json]]] = field(default_factory=list)
    answers: list[tuple[set[str], list[set[str]]]] = field(default_factory=list)
    erased: list[set[Fact]] = field(default_factory=list)
    left: list[dict[str, list[Json]]] = field(default_factory=list)
    forgotten: set[str] = field(default_factory=set)

    def run(self, tenant: str, *instances: Json) -> Any:
        result = self.stores[tenant].execute(list(instances))
        assert result.ok, result.error
        return result.results[-1]

    def records(self, tenant: str) -> list[Record]:
        """Every fact that was written and has not been erased, deleted ones too."""
        found = (self.stores[tenant].show(id_) for id_ in self.ids[tenant])
        return [record for record in found if record is not None]

    def concerned(self, tenant: str, gold: Json) -> Record:
        """The version that a candidate says it is about."""
        (found,) = (
            record
            for record in self.records(tenant)
            if gold["concerns"] in sources(record)
            and (record.subject, record.attribute) == (gold["subject"], gold["attribute"])
            and (gold["outcome"] != "retract" or record.value == gold["value"])
        )
        return found

    def take(self, turn: Json, gold: Json) -> None:
        """Write what a candidate says, and note what became of it."""
        tenant, policy = turn["tenant"], self.case.get("policy", {})
        seen = gold["outcome"]
        if seen == "ignored":
            assert covered(gold["attribute"], policy["deny"])
        elif seen == "retract":
            old = self.concerned(tenant, gold)
            edits = {"op": "Update", "args": {"set": {"valid_to": gold["valid_to"]}}}
            if old.pending:
                edits = {"op": "Delete"}
            self.run(tenant, {"stage": "STO", "target": {"ids": [old.id]}, **edits})
        elif seen == "new" and "concerns" in gold:
            waiting = self.concerned(tenant, gold)
            assert waiting.pending and format_instant(begin(waiting)) == gold["valid_from"]
            edits = {"op": "Update", "args": {"set": {"confidence": 1.0}}}
            self.run(tenant, {"stage": "STO", "target": {"ids": [waiting.id]}, **edits})
            after = self.stores[tenant].show(waiting.id)
            assert after is not None and not after.pending
        else:
            seen = self.encode(turn, gold)
        self.outcomes.append((gold["outcome"], seen))

    def encode(self, turn: Json, gold: Json) -> str:
        tenant = turn["tenant"]
        fact = {key: gold[key] for key in ("subject", "attribute", "value")}
        args = {
            "payload": {"structured": fact}, "type": gold["type"], "tags": ["fact"],
            "valid_from": gold["valid_from"] or BEFORE_ALL, "source_episode_id": turn["episode"],
            "confidence": 0.1 if gold["outcome"] == "pending" else 0.9,
        }  # fmt: skip
        if "valid_to" in gold:
            args["valid_to"] = gold["valid_to"]
        result = self.run(tenant, {"stage": "ENC", "op": "Encode", "args": args})
        self.ids[tenant] += result.created
        record = self.stores[tenant].show(result.affected[0])
        assert record is not None
        about = record if not result.created else None
        if about is None and record.supersedes:
            about = self.stores[tenant].show(record.supersedes)
        if about is not None:
            # A late arrival may cut short what it says nothing about.
            assert gold["concerns"] in sources(about) or gold["outcome"] == "late"
        return became(record, about, bool(result.created), self.records(tenant), self.clock.now())

    def current(self, tenant: str) -> list[Json]:
        """The facts of a tenant that hold now."""
        target = {"filter": {"has_tags": ["fact"], "limit": 500}}
        rows = self.run(tenant, {"stage": "RET", "op": "Retrieve", "target": target}).rows
        held = {row["id"] for row in rows}
        return as_facts([r for r in self.records(tenant) if r.id in held], self.forgotten)

    def ask(self, question: Json) -> tuple[set[str], list[set[str]]]:
        """The values that answer a question, and the sources of each version that led there."""
        tenant, subjects, used = question["tenant"], [question["subject"]], []
        instants = {key: question[key] for key in ("as_of", "known_at") if key in question}
        rows: list[Json] = []
        for attribute in [*question.get("via", ()), question["attribute"]]:
            rows = []
            for subject in subjects:
                asked = {"filter": {"subject": subject, "attribute": attribute}}
                read = {"target": asked, "args": {"include": ["value"], **instants}}
                rows += self.run(tenant, {"stage": "RET", "op": "Retrieve", **read}).rows
            subjects = [fold(str(row["value"])) for row in rows]
            versions = [self.stores[tenant].show(row["id"]) for row in rows]
            used += [set(sources(version)) for version in versions if version is not None]
        return {json.dumps(row["value"]) for row in rows}, used

    def forget(self, order: Json) -> None:
        """Erase what an order covers, and note what is left for every tenant."""
        self.clock.at, tenant = order["at"], order["tenant"]
        self.forgotten |= set(order["gone"]["episodes"])
        doomed = [record for record in self.records(tenant) if self.falls(record, order)]
        if doomed:
            target = {"ids": [record.id for record in doomed]}
            delete = {"stage": "STO", "op": "Delete", "target": target, "args": {"soft": False}}
            self.run(tenant, delete)
        self.erased.append({as_fact(record) for record in doomed})
        self.left.append({each: self.current(each) for each in self.stores})

    def falls(self, record: Record, order: Json) -> bool:
        if "episode" in order:
            return self.forgotten.issuperset(sources(record))
        return order["subject"] in (record.subject, fold(str(record.value)))


def sources(record: Record) -> list[str]:
    """The episodes that a fact was heard in, each once."""
    return list(dict.fromkeys(entry["episode"] for entry in record.sources))


def begin(record: Record) -> datetime:
    assert record.valid_from is not None
    return record.valid_from


def as_fact(fact: Any) -> Fact:
    """A record, or what a case says of a fact."""
    found = fact if isinstance(fact, dict) else {k: getattr(fact, k) for k in Record.__slots__}
    return found["subject"], found["attribute"], json.dumps(found["value"])


def as_facts(records: list[Record], without: set[str]) -> list[Json]:
    return [
        {
            "subject": record.subject, "attribute": record.attribute, "value": record.value,
            "sources": [each for each in sources(record) if each not in without],
        }
        for record in records
    ]  # fmt: skip


def became(
    record: Record, about: Record | None, made: bool, written: list[Record], now: datetime
) -> str:
    """What the ledger did with a statement, in the words of the schema."""
    if not made or record.pending:
        return "pending" if record.pending else "repeat"
    if about is not None and about.valid_from == record.valid_from:
        return "correct"
    later = [
        other
        for other in written
        if (other.subject, other.attribute) == (record.subject, record.attribute)
        and begin(other) > begin(record)
        and (other.valid_to is None or other.valid_to > begin(other))
        and not other.pending and record.valid_to is not None and record.valid_to <= begin(other)
    ]  # fmt: skip
    if later or (record.valid_to is not None and record.valid_to <= now):
        return "late"
    return "supersede" if about is not None else "new"


def covered(attribute: str, patterns: list[str]) -> bool:
    return any(matches(fold(pattern), fold(attribute)) if "*" in pattern
               else fold(pattern) == fold(attribute) for pattern in patterns)  # fmt: skip


@cache
def played(id_: str) -> Play:
    """A case played once. Tenants that share a case share a database file."""
    case = CASES[id_]
    clock = Hand(turns(case)[0]["at"])
    with ExitStack() as stack:
        path = "memory:"
        if len(case["tenants"]) > 1:
            path = f"{stack.enter_context(TemporaryDirectory())}/store.db"
        stores = {}
        for tenant in case["tenants"]:
            context = ExecutionContext(
                tenant=tenant, clock=clock, tz=ZoneInfo(case["zone"]), confirmed=True
            )
            stores[tenant] = stack.enter_context(Memory(path, context=context))
            stores[tenant].registry = registry(case)
        play = Play(case, clock, stores, {tenant: [] for tenant in stores})
        for turn in turns(case):
            clock.at = turn["at"]
            for gold in turn.get("gold", ()):
                if "optional" not in gold:
                    play.take(turn, gold)
            for look in case["ledger"]:
                if look["after"] == turn["episode"]:
                    waits = [r for r in play.records(look["tenant"]) if r.pending and not r.deleted]
                    play.ledgers.append((play.current(look["tenant"]), as_facts(waits, set())))
        clock.at = case["now"]
        play.answers = [play.ask(question) for question in asked(case)]
        for order in case["forget"]:
            play.forget(order)
    return play


def asked(case: Json) -> list[Json]:
    """The questions to the ledger."""
    return [question for question in case["questions"] if "subject" in question]


def in_order(facts: list[Json]) -> list[str]:
    return sorted(json.dumps(fact, sort_keys=True) for fact in facts)


# --- the files -----------------------------------------------------------------------------


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.json")), ids=lambda path: path.name)
def test_a_file_keeps_its_schema(path: Path) -> None:
    if path.name.endswith(".schema.json"):
        Draft202012Validator.check_schema(_read(path))
        return
    schema = FOLDER / ("locomo.schema.json" if path == LOCOMO else "case.schema.json")
    faults = Draft202012Validator(_read(schema)).iter_errors(_read(path))
    assert [f"{fault.json_path}: {fault.message}" for fault in faults] == []


@every_case
def test_ids_are_unique_and_instants_rise(case: Json) -> None:
    assert CASES[case["id"]] is case
    played_in_order, sessions = turns(case), case["sessions"]
    for ids in (
        [turn["episode"] for turn in played_in_order],
        [turn["at"] for turn in played_in_order],
        [session["id"] for session in sessions],
        [question["id"] for question in case["questions"]],
        [order["id"] for order in case["forget"]],
        [look["after"] for look in case["ledger"]],
    ):
        assert len(set(ids)) == len(ids)
    for session in sessions:
        instants = [turn["at"] for turn in session["turns"]]
        assert instants == sorted(instants)
    deletions = [order["at"] for order in case["forget"]]
    assert deletions == sorted(deletions)
    assert all(case["now"] < at for at in deletions) and played_in_order[-1]["at"] < case["now"]
    belong = chain(sessions, case["ledger"], case["questions"], case["forget"])
    assert {each["tenant"] for each in belong} == set(case["tenants"])


@every_case
def test_candidates_rest_on_what_was_said(case: Json) -> None:
    place = {turn["episode"]: turn for turn in turns(case)}
    for turn, gold in candidates(case):
        assert gold["quote"] in said(turn), gold
        for episode in [*gold.get("needs", ()), gold.get("concerns", turn["episode"])]:
            assert place[episode]["tenant"] == turn["tenant"], gold
            assert place[episode]["at"] < turn["at"] or episode not in gold.get("needs", ()), gold
        assert gold.get("concerns") != turn["episode"]
        starts, ends = gold.get("valid_from"), gold.get("valid_to")
        assert starts is None or ends is None or starts < ends
    for each in chain(case["ledger"], case["questions"], case["forget"]):
        mentioned = [each[key] for key in ("after", "finds", "episode") if key in each]
        mentioned += each.get("evidence", []) + each.get("gone", {"episodes": []})["episodes"]
        assert {place[episode]["tenant"] for episode in mentioned} <= {each["tenant"]}


@every_case
def test_names_and_values_are_spelled_as_they_are_stored(case: Json) -> None:
    known = registry(case)
    for tenant in case["tenants"]:
        spelled: dict[tuple[str, str, str], str] = {}
        for each in names(case, tenant, known):
            attribute = known.attribute(each["attribute"])
            assert fold(each["subject"]) == each["subject"]
            assert attribute.name == each["attribute"]
            assert known.normalise(attribute, each["value"]) == each["value"]
            # Two values that a comparison takes for one would hide a stale answer.
            line = (each["subject"], attribute.name, compared(attribute.name, each["value"], known))
            assert spelled.setdefault(line, str(each["value"])) == str(each["value"])
    assert {each["type"] for _, each in candidates(case)} <= set(known.types)


@every_case
def test_an_alias_stands_for_one_thing(case: Json) -> None:
    aliases = case.get("aliases", {})
    gold = [each for _, each in candidates(case)]
    used = {
        "subjects": {each["subject"] for each in gold},
        "attributes": {each["attribute"] for each in gold},
        "values": {str(each["value"]) for each in gold},
    }
    for kind, spellings in aliases.items():
        taken = Counter(fold(each) for each in used[kind])
        taken.update({fold(other) for others in spellings.values() for other in others})
        assert set(spellings) <= used[kind]
        assert [each for each, times in taken.items() if times > 1] == []
        others = Counter(fold(other) for each in spellings.values() for other in each)
        assert [each for each, times in others.items() if times > 1] == []


# --- what follows from the candidates ------------------------------------------------------


@every_case
def test_every_candidate_becomes_what_it_is_said_to(case: Json) -> None:
    outcomes = played(case["id"]).outcomes
    assert [seen for _, seen in outcomes] == [expected for expected, _ in outcomes]
    for _, gold in candidates(case):
        asks = covered(gold["attribute"], case.get("policy", {}).get("confirm", []))
        assert (gold.get("because") == "sensitive") == (asks and gold["outcome"] == "pending")
        assert not asks or gold["outcome"] in ("pending", "retract") or "concerns" in gold


@every_case
def test_the_ledgers_follow(case: Json) -> None:
    for look, (facts, waiting) in zip(
        sorted(case["ledger"], key=lambda look: place(case, look["after"])),
        played(case["id"]).ledgers,
        strict=True,
    ):
        assert in_order(facts) == in_order(look["facts"]), look["after"]
        assert in_order(waiting) == in_order(look.get("pending", [])), look["after"]
    last = {turn["tenant"]: turn["episode"] for turn in turns(case)}
    assert set(last.values()) <= {look["after"] for look in case["ledger"]}


def place(case: Json, episode: str) -> int:
    return [turn["episode"] for turn in turns(case)].index(episode)


@every_case
def test_the_answers_follow(case: Json) -> None:
    for question, (values, used) in zip(asked(case), played(case["id"]).answers, strict=True):
        assert values == {json.dumps(value) for value in question["answer"] or ()}, question["id"]
        evidence = set(question["evidence"])
        if question["answer"] is not None:
            assert all(evidence & each for each in used), question["id"]
            assert evidence <= set(chain(*used)), question["id"]


@every_case
def test_words_alone_find_what_they_find(case: Json) -> None:
    for question in (each for each in case["questions"] if "finds" in each):
        with Memory("memory:") as texts:
            for turn in turns(case):
                args = {"payload": {"text": said(turn)}, "source": turn["episode"]}
                texts.execute([{"stage": "ENC", "op": "Encode", "args": args}])
            target = {"search": {"intent": {"query": question["asks"]}, "limit": 1}}
            read = {"stage": "RET", "op": "Retrieve", "args": {"include": ["source"]}}
            (row,) = texts.execute([{**read, "target": target}]).results[0].rows
        assert row["source"] == question["finds"]


@every_case
def test_what_is_forgotten_is_gone_and_nothing_else(case: Json) -> None:
    play = played(case["id"])
    final = {turn["tenant"]: play.ledgers[-1][0] for turn in turns(case)}
    assert final
    gone: set[str] = set()
    for order, erased, left in zip(case["forget"], play.erased, play.left, strict=True):
        tenant, expected = order["tenant"], order["gone"]
        stays = [t for t in turns(case) if t["tenant"] == tenant and t["episode"] not in gone]
        assert set(expected["episodes"]) == stating(stays, order)
        gone |= set(expected["episodes"])
        assert erased == {as_fact(fact) for fact in expected["facts"]}
        assert in_order(left[tenant]) == in_order(order["facts"])
        remains = [said(turn) for turn in stays if turn["episode"] not in gone]
        remains += [json.dumps(fact, ensure_ascii=False) for fact in order["facts"]]
        went = [said(t) for t in stays] + [json.dumps(f) for f in expected["facts"]]
        for word in expected["words"]:
            assert not any(word in text for text in remains), word
            assert any(word in text for text in went), word


def stating(stays: list[Json], order: Json) -> set[str]:
    """The turns that an order covers: one, or those with a candidate about the subject."""
    if "episode" in order:
        return {order["episode"]}
    found = set()
    for turn in stays:
        about = [order["subject"] in (each["subject"], fold(str(each["value"])))
                 for each in turn.get("gold", ())]  # fmt: skip
        assert all(about) or not any(about), "a turn is about others, too"
        found |= {turn["episode"]} if any(about) else set()
    return found


def test_a_deletion_stays_within_its_tenant() -> None:
    for case in (each for each in CASES.values() if len(each["tenants"]) > 1):
        play = played(case["id"])
        before = {
            look["tenant"]: look["facts"]
            for look in sorted(case["ledger"], key=lambda look: place(case, look["after"]))
        }
        for order, left in zip(case["forget"], play.left, strict=True):
            (other,) = set(case["tenants"]) - {order["tenant"]}
            assert in_order(left[other]) == in_order(before[other])


# --- the collection ------------------------------------------------------------------------


def test_the_collection_has_what_it_was_made_for() -> None:
    languages = Counter(case["language"] for id_, case in CASES.items() if id_ != "mira")
    assert min(languages["en"], languages["zh"]) >= 7
    held_out = [case for case in CASES.values() if case["split"] == "held-out"]
    assert len(held_out) * 3 == len(CASES)
    tuned = [case for case in CASES.values() if case["split"] == "tune"]
    for part in (tuned, held_out):
        assert {case["language"] for case in part} == {"en", "zh"}
        assert any(len(case["tenants"]) == 2 for case in part)
        assert any(len(session["turns"]) >= 25 for case in part for session in case["sessions"])
        assert {gold["outcome"] for case in part for _, gold in candidates(case)} == {
            "new", "repeat", "supersede", "late", "correct", "retract", "pending", "ignored",
        }  # fmt: skip
        assert {turn.get("nothing") for case in part for turn in turns(case)} >= {
            "joke", "hypothetical", "hearsay", "question", "plan", "negation", "quotation",
            "transient", "injection",
        }  # fmt: skip
        assert any(q["answer"] is None for case in part for q in asked(case))
        assert any("known_at" in q for case in part for q in asked(case))
        assert any("via" in q for case in part for q in asked(case))


def test_evidence_of_the_locomo_file_exists() -> None:
    (sample,) = _read(LOCOMO)
    talk = sample["conversation"]
    speakers = {talk["speaker_a"], talk["speaker_b"]}
    sessions = [key for key in talk if re.fullmatch(r"session_\d+", key)]
    assert sessions == ["session_1", "session_2", "session_3"]
    said_as = [turn["dia_id"] for key in sessions for turn in talk[key]]
    assert len(set(said_as)) == len(said_as)
    for key in sessions:
        assert f"{key}_date_time" in talk
        for number, turn in enumerate(talk[key], 1):
            assert turn["dia_id"] == f"D{key.removeprefix('session_')}:{number}"
            assert turn["speaker"] in speakers
    assert len(sample["qa"]) == 12
    assert {question["category"] for question in sample["qa"]} == {1, 2, 3, 4, 5}
    assert set(chain(*(question["evidence"] for question in sample["qa"]))) <= set(said_as)
