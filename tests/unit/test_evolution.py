"""Schema evolution: what becomes of facts, what is left, and the way there and back."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.fixtures import ROOT
from tests.playing_episodes import ledger_of
from tests.store.programs import NOW, WordHashes, done, fact, on, opened
from text2mem import FixedClock, Memory
from text2mem.clock import SetClock
from text2mem.errors import ConfigurationError
from text2mem.executor import authorise
from text2mem.ir.record import Record
from text2mem.ledger.evolution import Evolved, evolve, read_evolution, read_names, run, write_name
from text2mem.ledger.evolution import program as evolution_program
from text2mem.ledger.evolution.document import old_and_new
from text2mem.ledger.recall import recall
from text2mem.resources import read_text

FOLDER = ROOT / "evolution"
FILES = sorted(path for path in FOLDER.glob("*.json") if path.name != "case.schema.json")
CASES = {
    f"{path.stem}-{case['id']}": case
    for path in FILES
    for case in json.loads(path.read_text("utf-8"))["cases"]
}
Json = dict[str, Any]
RENAME: Json = {"version": 2, "steps": [{"op": "rename", "from": "mail", "to": "email_to"}]}


def clock_of(memory: Memory) -> SetClock:
    clock = memory.context.clock
    assert isinstance(clock, SetClock)
    return clock


def state(memory: Memory, told: Json) -> str:
    """Encode a fact of a case."""
    args: Json = {"valid_from": f"{told.get('from', '2025-01-01')}T00:00:00Z"}
    if "to" in told:
        args["valid_to"] = f"{told['to']}T00:00:00Z"
    if "confidence" in told:
        args["confidence"] = told["confidence"]
    for episode in [told.get("episode"), *told.get("also", ())]:
        heard = {} if episode is None else {"source_episode_id": episode}
        said = fact(told["subject"], told["attribute"], told["value"], **args, **heard)
        result = done(memory, said).results[0]
    id_ = result.affected[0]
    if told.get("deleted"):
        done(memory, on("Delete", [id_]))
    if told.get("locked"):
        done(memory, on("Lock", [id_], mode="read_only"))
    return id_


def facts(memory: Memory, document: Json) -> list[Record]:
    """The facts, not deleted, of the attributes that the steps name."""
    names: set[str] = set()
    for step in read_evolution(document).steps:
        names.update(chain(*old_and_new(step)))
    found = memory.adapter.records(memory.context, memory.context.clock.now())
    return [r for r in found if r.is_fact and r.attribute in names and not r.deleted]


def images(memory: Memory) -> list[Json]:
    """Every memory, as it is but for what moves with every change."""
    found = memory.adapter.records(memory.context, memory.context.clock.now())
    return [
        {k: v for k, v in record.as_dict().items() if k not in ("updated_at", "version")}
        for record in found
    ]


def as_told(record: Record, expected: Json, by_id: dict[str, Record]) -> Json:
    """A fact in the words of a case, as far as those go."""
    told: Json = {"subject": record.subject, "attribute": record.attribute, "value": record.value}
    for key, at in (("from", record.valid_from), ("to", record.valid_to)):
        if at is not None:
            told[key] = at.date().isoformat()
    if "sources" in expected:
        told["sources"] = [entry["episode"] for entry in record.sources]
    if "confidence" in expected:
        told["confidence"] = record.confidence
    if "supersedes" in expected:
        told["supersedes"] = by_id[record.supersedes].value if record.supersedes else None
    return {**told, "state": "pending"} if record.pending else told


def in_order(told: Sequence[Json]) -> list[Json]:
    keys = ("subject", "attribute", "from", "to", "value")
    return sorted(told, key=lambda each: [str(each.get(key, "9")) for key in keys])


def check(memory: Memory, case: Json) -> None:
    """The facts are as a case says they are afterwards."""
    records = facts(memory, case["document"])
    by_id = {r.id: r for r in memory.adapter.records(memory.context, NOW)}
    expected = in_order(case["after"])
    plain = in_order([as_told(record, {}, by_id) for record in records])
    assert [(e["subject"], e["attribute"]) for e in plain] == [
        (e["subject"], e["attribute"]) for e in expected
    ], plain
    found = {json.dumps(as_told(r, {}, by_id), sort_keys=True): r for r in records}
    for told, each in zip(plain, expected, strict=True):
        assert as_told(found[json.dumps(told, sort_keys=True)], each, by_id) == each


# --- the cases -----------------------------------------------------------------------------


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_file_keeps_its_schema(path: Path) -> None:
    schema = json.loads((FOLDER / "case.schema.json").read_text("utf-8"))
    Draft202012Validator.check_schema(schema)
    document = json.loads(path.read_text("utf-8"))
    assert [e.message for e in Draft202012Validator(schema).iter_errors(document)] == []
    form = json.loads(read_text("schema", "evolution.v1.schema.json"))
    documents = Draft202012Validator(form)
    for case in document["cases"]:
        assert [e.message for e in documents.iter_errors(case["document"])] == []


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_facts_become_what_a_case_says(case: Json, memory: Memory) -> None:
    for told in case["facts"]:
        state(memory, told)
    before, ledger = images(memory), ledger_of(memory)
    if case.get("left"):
        refused = evolve(ledger, case["document"])
        assert refused.error is not None and refused.error.code == "misfits"
        left(refused, case)
        assert images(memory) == before and ledger.registry.version == 1
    document = {**case["document"], "on_misfit": "leave"}
    shown = evolve(ledger, document, dry_run=True)
    assert shown.ok, shown.error
    assert shown.dry_run and images(memory) == before and ledger.registry.version == 1
    evolved = evolve(ledger, document)
    assert evolved.ok, evolved.error
    left(evolved, case)
    if "warns" in case:
        assert any(re.search(case["warns"], warning) for warning in evolved.warnings)
    else:
        assert evolved.warnings == ()
    as_shown = [{**each.as_dict(), "id": None} for each in evolved.changes]
    assert as_shown == [each.as_dict() for each in shown.changes]
    check(memory, case)
    assert ledger.registry.version == 2
    for change in evolved.changes:
        assert change.id is not None
        made = memory.show(change.id)
        assert made is not None and made.schema_version == 2
        assert set(made.lineage_parents) == {r.id for r in change.version.origins}
        for origin in change.version.origins:
            old = memory.show(origin.id)
            assert old is not None and old.deleted and old.schema_version == 1
    # Once more is once.
    now = images(memory)
    again = evolve(ledger, document)
    assert (again.ok, again.changes, again.traces) == (True, (), ())
    assert images(memory) == now
    # And back.
    for trace in evolved.traces:
        assert memory.undo(trace).ok
    assert images(memory) == before
    once_more = evolve(ledger, {**document, "version": 3})
    assert once_more.ok, once_more.error
    check(memory, case)


def left(evolved: Evolved, case: Json) -> None:
    expected = case.get("left", [])
    assert [(m.attribute, m.value) for m in evolved.left] == [
        (each["attribute"], each["value"]) for each in expected
    ]
    for misfit, each in zip(evolved.left, expected, strict=True):
        assert re.search(each["reason"], misfit.reason), misfit.reason


# --- what a new memory takes over ----------------------------------------------------------


def test_everything_else_goes_with_it(memory: Memory) -> None:
    args = {
        "type": "preference", "tags": ["a", "b"], "facets": {"k": [1]}, "topic": "t",
        "location": "l", "source": "user:ann", "confidence": 0.7, "time": "2025-01-02T00:00:00Z",
        "retention_policy": "session", "read_perm_level": "team", "valid_from": "2025-01-01",
        "write_whitelist": ["bob"], "source_episode_id": "e1", "skip_embedding": True,
    }  # fmt: skip
    program = fact("ann", "mail", "x", **args)
    program["args"]["payload"]["span"] = [3, 7]
    id_ = done(memory, program).results[0].created[0]
    done(memory, on("Update", [id_], set={"weight": 0.9, "remind": {"rrule": "FREQ=DAILY"}}))
    (change,) = evolve(ledger_of(memory), RENAME).changes
    old, new = memory.show(id_), memory.show(str(change.id))
    assert old is not None and new is not None
    for name in (
        "type", "tags", "facets", "topic", "location", "source", "confidence", "time",
        "retention_policy", "read_perm_level", "write_whitelist", "source_episode_id",
        "skip_embedding", "weight", "remind_rrule", "expire_at", "expire_action", "valid_from",
    ):  # fmt: skip
        assert getattr(new, name) == getattr(old, name), name
    assert new.payload["span"] == [3, 7] and new.expire_action == "hard_delete"


@pytest.mark.parametrize(
    "remind",
    [
        {"at": "2026-03-03T09:00:00Z"}, {"rrule": "FREQ=DAILY;COUNT=2"},
        {"rrule": "FREQ=DAILY", "until": "2026-03-04T09:00:00Z"},
    ],
)  # fmt: skip
def test_a_last_reminder_that_nobody_has_heard_goes_with_it(memory: Memory, remind: Json) -> None:
    id_ = state(memory, {"subject": "ann", "attribute": "mail", "value": "x"})
    done(memory, on("Update", [id_], set={"remind": remind}))
    clock_of(memory).at = NOW + timedelta(days=9)
    (change,) = evolve(ledger_of(memory), RENAME).changes
    clock_of(memory).at += timedelta(minutes=2)
    (fired,) = memory.tick().fired
    assert (fired.memory["id"], fired.following) == (change.id, None)


def test_an_archived_fact_stays_archived_and_an_unending_one_unending(memory: Memory) -> None:
    id_ = state(memory, {"subject": "ann", "attribute": "mail", "value": "x"})
    done(memory, on("Demote", [id_], archive=True))
    document = {**RENAME, "registry": {"version": 2, "retention": {"r": {"keep": "P1D"}},
                "attributes": {"email_to": {"retention": "r"}}}}  # fmt: skip
    document["registry"]["retention"]["r"]["on_expire"] = "soft_delete"
    (change,) = evolve(ledger_of(memory), document).changes
    new = memory.show(str(change.id))
    assert new is not None
    assert (new.archived, new.weight, new.expire_at) == (True, 0.0, None)


def test_whose_fact_it_was_may_read_and_write_it_as_before(memory: Memory) -> None:
    ann = ledger_of(memory, actor="ann")
    assert ann.run(fact("me", "mail", "x")).ok
    (change,) = evolve(ledger_of(memory), RENAME).changes
    assert [r.value for r in ann.facts(subject="me", attribute="email_to")] == ["x"]
    assert ann.run(on("Update", [str(change.id)], set={"value": "y"})).ok
    assert ledger_of(memory, actor="eve").facts(subject="me", attribute="email_to") == []


def test_an_actor_may_not(memory: Memory) -> None:
    with pytest.raises(ConfigurationError, match="everybody"):
        evolve(ledger_of(memory, actor="ann"), RENAME)


# --- the registry --------------------------------------------------------------------------


def test_the_registry_follows_the_steps(memory: Memory) -> None:
    document = {
        "version": 7,
        "steps": [
            {"op": "rename", "from": "email", "to": "mailbox"},
            {"op": "retype", "attribute": "phone", "value_type": "number"},
        ],
    }
    ledger = ledger_of(memory)
    assert evolve(ledger, document).ok
    registry = ledger.registry
    assert registry.version == 7
    mailbox, phone = registry.attribute("mailbox"), registry.attribute("phone")
    assert (mailbox.cardinality, mailbox.normaliser) == ("many", "email")
    assert (phone.value_type, phone.cardinality, phone.normaliser) == ("number", "many", "trim")
    assert registry.attribute("email").declared  # it may still be written


def test_a_registry_of_its_own_decides_what_fits(memory: Memory) -> None:
    state(memory, {"subject": "ann", "attribute": "mail", "value": "x"})
    registry = {"version": 2, "attributes": {"email_to": {"value_type": "number"}}}
    refused = evolve(ledger_of(memory), {**RENAME, "registry": registry})
    assert [m.reason for m in refused.left] == ["'email_to' takes a finite number"]
    registry = {"version": 2, "confidence_floor": 0.95}
    state(memory, {"subject": "bob", "attribute": "mail", "value": "y", "confidence": 0.9})
    refused = evolve(ledger_of(memory), {**RENAME, "registry": registry})
    assert ["it would wait" in m.reason for m in refused.left] == [True]


def _one(op: str, **step: Any) -> Json:
    return {"version": 2, "steps": [{"op": op, **step}]}


@pytest.mark.parametrize(
    ("document", "says"),
    [
        ({"version": 1, "steps": RENAME["steps"]}, "the registry's is 1"),
        ({"version": 2, "steps": []}, "/steps"),
        ({"version": 2, "steps": [{"op": "zap"}]}, "has a fault:"),
        (_one("split", attribute="a", into={"b": 1}), "has a fault:\n  - /steps/0/into"),
        ({"version": 2, "steps": [{"op": "rename", "from": "a", "to": "A"}]}, "same name"),
        ({"version": 2, "steps": [{"op": "rename", "from": "a*", "to": "b"}]}, "no name"),
        ({**RENAME, "registry": {"version": 3}}, "/registry/version"),
        ({**RENAME, "extra": 1}, "extra"),
        (
            {"version": 2, "steps": [{"op": "retype", "attribute": "a", "value_type": "number"}],
             "registry": {"version": 2}},
            "makes them number",
        ),
        (_one("split", attribute="a", into={"b": 1, "c": "("}), "regular expression"),
        (_one("split", attribute="a", into={"b": 1, "c": "a{999999999999}"}), "regular expression"),
        (_one("split", attribute="a", into={"b": 1, "c": "(" * 499}), "regular expression"),
        (_one("split", attribute="a", into={"a": 1, "c": 2}), "into itself"),
        (_one("merge", attributes=["a", "a"], into="b"), "twice"),
        (_one("split", attribute="a", into={"b/c": 0, "d": 1}), "/steps/0/into/b~1c: parts"),
        (_one("split", attribute="a", into={"b": "(", "c~": "("}), "/steps/0/into/c~0: no regular"),
        (_one("split", attribute="a", into={"b/c": 1.5, "d": 1}), "/steps/0/into/b~1c: Input"),
        (_one("split", attribute="a", into={"": 1, "d": 1}), "/steps/0/into/: String"),
        (_one("rename", to="b"), "/steps/0/from: Field required"),
        (_one("rename", **{"from": "a", "to": "b", "x/y": 1}), "/steps/0/x~1y: Extra"),
        (_one("retype", attribute="a", value_type="text", convert={"a/b": [1]}),
         "/steps/0/convert/a~1b: Input"),
    ],
)  # fmt: skip
def test_what_is_no_evolution_is_refused_with_every_fault(document: Json, says: str) -> None:
    with Memory("memory:") as memory, pytest.raises(ConfigurationError, match=re.escape(says)):
        evolve(ledger_of(memory), document)


def test_another_evolution_to_the_same_version_is_refused(memory: Memory) -> None:
    assert evolve(ledger_of(memory), RENAME).ok
    other = {"version": 2, "steps": [{"op": "rename", "from": "mail", "to": "post"}]}
    with pytest.raises(ConfigurationError, match="another evolution"):
        evolve(ledger_of(memory), other)


def test_what_the_new_registry_has_no_room_for_is_refused_whole(memory: Memory) -> None:
    for value in ("peanuts", "latex"):
        state(memory, {"subject": "ann", "attribute": "allergies", "value": value})
    state(memory, {"subject": "ann", "attribute": "mail", "value": "x"})
    before = images(memory)
    registry = {"version": 2, "attributes": {"allergies": {"cardinality": "one"}}}
    refused = evolve(ledger_of(memory), {**RENAME, "registry": registry})
    assert refused.error is not None and refused.error.code == "fact-overlap"
    assert images(memory) == before and ledger_of(memory).registry.version == 1


# --- batches -------------------------------------------------------------------------------


def test_batches_are_programs_of_whole_subjects_and_go_on_where_they_stopped(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "BATCH", 4)
    for number in range(10):
        for month in ("01", "02"):
            told = {"subject": f"s{number}", "attribute": "mail", "from": f"2025-{month}-01"}
            state(memory, {**told, "value": f"{number} in {month}"})
    before, ledger = images(memory), ledger_of(memory)
    done_once = evolve(ledger, RENAME)
    assert len(done_once.traces) == 5 and len(done_once.changes) == 20
    # Undone halfway, a second run does the rest.
    for trace in done_once.traces[:3]:
        assert memory.undo(trace).ok
    assert ledger.registry.version == 2
    halfway = images(memory)
    rest = evolve(ledger, RENAME)
    assert len(rest.traces) == 3 and len(rest.changes) == 12
    for trace in (*rest.traces, *done_once.traces[3:]):
        assert memory.undo(trace).ok
    assert images(memory) == before and halfway != before


def test_what_others_write_meanwhile_is_planned_anew(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    state(memory, {"subject": "ann", "attribute": "mail", "value": "old"})
    plain, meddled = run.plan, []

    def meddling(*given: Any) -> Any:
        planned = plain(*given)
        if not meddled:
            meddled.append(state(memory, {"subject": "ann", "attribute": "mail", "value": "new",
                                          "from": "2025-06-01"}))  # fmt: skip
        return planned

    monkeypatch.setattr(run, "plan", meddling)
    evolved = evolve(ledger_of(memory), RENAME)
    assert evolved.ok and [c.version.value for c in evolved.changes] == ["old", "new"]


def test_a_subject_with_more_versions_than_a_step_may_change(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (authorise, evolution_program):
        monkeypatch.setattr(module, "WRITE_CAP", 3)
    for number in range(8):
        state(memory, {"subject": "ann", "attribute": "mail", "value": f"v{number}",
                       "from": f"2025-01-0{number + 1}"})  # fmt: skip
    moved = evolve(ledger_of(memory), RENAME)
    assert moved.ok and len(moved.changes) == 8
    (now,) = ledger_of(memory).facts(subject="ann", attribute="email_to")
    assert now.value == "v7"


def test_what_is_written_under_the_old_name_later_is_carried_over_by_another_run(
    memory: Memory,
) -> None:
    ledger = ledger_of(memory)
    state(memory, {"subject": "ann", "attribute": "mail", "value": "old"})
    assert evolve(ledger, RENAME).ok
    state(memory, {"subject": "ann", "attribute": "mail", "value": "new", "from": "2025-06-01"})
    (change,) = evolve(ledger, RENAME).changes
    assert change.version.value == "new"
    (now,) = ledger.facts(subject="ann", attribute="email_to")
    assert now.value == "new" and now.supersedes is not None


# --- the names of an attribute -------------------------------------------------------------

WINDOW = NOW + timedelta(days=30)


def test_both_names_find_both_until_the_window_closes(memory: Memory) -> None:
    ledger, clock = ledger_of(memory), clock_of(memory)
    assert read_names(ledger, "mail") == ("mail",)
    state(memory, {"subject": "ann", "attribute": "mail", "value": "old"})
    assert evolve(ledger, {**RENAME, "dual_read_until": WINDOW.isoformat()}).ok
    state(memory, {"subject": "bob", "attribute": "mail", "value": "written late"})
    for asked in ("mail", "email_to", "Email to"):
        assert read_names(ledger, asked) == ("email_to", "mail")
        for who, value in (("ann", "old"), ("bob", "written late")):
            found = recall(ledger, subject=who, attribute=asked).facts
            assert [record.value for record in found] == [value]
    assert write_name(ledger, "Mail") == "email_to" and write_name(ledger, "city") == "city"
    clock.at = WINDOW
    assert read_names(ledger, "mail") == ("mail",)
    assert recall(ledger, subject="ann", attribute="mail").facts == ()
    (ann,) = recall(ledger, subject="ann", attribute="email_to").facts
    assert ann.value == "old" and write_name(ledger, "mail") == "email_to"


def test_names_go_along_several_evolutions(memory: Memory) -> None:
    ledger = ledger_of(memory)
    until = {"dual_read_until": WINDOW.isoformat()}
    split = {"op": "split", "attribute": "email_to", "by": "@", "into": {"local": 1, "domain": 2}}
    assert evolve(ledger, {**RENAME, **until}).ok
    assert evolve(ledger, {"version": 3, "steps": [split], **until}).ok
    assert read_names(ledger, "mail") == ("domain", "local", "email_to", "mail")
    assert read_names(ledger, "domain") == ("domain", "email_to", "mail")
    assert write_name(ledger, "mail") == "email_to"
    assert read_names(ledger_of(memory, actor="eve"), "domain") == ("domain", "email_to", "mail")


@pytest.mark.parametrize("how", ["an actor's", "no document", "not archived"])
def test_a_memory_that_calls_itself_an_evolution_renames_nothing(memory: Memory, how: str) -> None:
    document = {**RENAME, "dual_read_until": WINDOW.isoformat()}
    held = {"evolution": {"version": "x"} if how == "no document" else document}
    args = {"payload": {"structured": held}, "type": "schema-evolution",
            "read_perm_level": "public"}  # fmt: skip
    caller = ledger_of(memory, actor="eve" if how == "an actor's" else None)
    steps: list[Json] = [{"stage": "ENC", "op": "Encode", "args": args}]
    if how != "not archived":
        steps.append(on("Demote", ["$1"], archive=True))
    assert caller.run(*steps).ok
    assert read_names(ledger_of(memory), "mail") == ("mail",)
    assert write_name(ledger_of(memory), "mail") == "mail"


def test_what_was_known_before_is_found_as_it_was_recorded(memory: Memory) -> None:
    ledger, clock = ledger_of(memory), clock_of(memory)
    first = NOW
    state(memory, {"subject": "ann", "attribute": "mail", "value": "a", "from": "2025-01-01"})
    deleted = state(memory, {"subject": "ann", "attribute": "post", "value": "p"})
    done(memory, on("Delete", [deleted]))
    clock.at = NOW + timedelta(days=1)
    state(memory, {"subject": "ann", "attribute": "mail", "value": "b", "from": "2025-06-01"})
    clock.at = NOW + timedelta(days=2)
    assert evolve(ledger, RENAME).ok
    clock.at = NOW + timedelta(days=3)

    def known(at: datetime, name: str, as_of: datetime | None = None) -> list[Any]:
        found = recall(ledger, subject="ann", attribute=name, known_at=at, as_of=as_of).facts
        return [record.value for record in found]

    spring = datetime(2025, 3, 1, tzinfo=UTC)
    for name in ("mail", "email_to"):
        assert known(first, name) == ["a"]
        assert known(first + timedelta(days=1), name) == ["b"]
        assert known(first + timedelta(days=1), name, spring) == ["a"]
    assert known(clock.at, "email_to") == ["b"] and known(clock.at, "email_to", spring) == ["a"]
    assert known(first, "post") == []


# --- services ------------------------------------------------------------------------------


def test_new_memories_have_vectors_and_words(tmp_path: Path) -> None:
    with opened(tmp_path / "s.db", embedder=WordHashes(), clock=FixedClock(NOW)) as memory:
        state(memory, {"subject": "ann", "attribute": "mail", "value": "somewhere"})
        assert evolve(ledger_of(memory), RENAME).ok
        assert memory.adapter.without_vectors(10) == []
        hits = [record.attribute for record, _ in ledger_of(memory).search("somewhere email")]
        assert hits == ["email_to"]
