"""Two tenants of one file with like-named memories: nothing of one is told to the other."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.store.programs import (
    NOW,
    Step,
    WordHashes,
    context,
    done,
    encode,
    fact,
    find,
    ids,
    merge,
    on,
    opened,
    read,
)
from tests.store.soundness import BITS, contents, faults, looked_at
from text2mem import FixedClock, Memory, execute
from text2mem.adapters.base import Effect, Env
from text2mem.errors import ConfigurationError, ValidationError
from text2mem.executor import Prepared
from text2mem.executor.history import log
from text2mem.ir.journal import Trail
from text2mem.ir.registry import Registry

STRANGE = (
    "%", "_", "*", "a%", "' OR '1'='1", '"', "'; DROP TABLE memories; --", "\\", "\x00x", "NULL",
    "terms", "[]", "{}", "$1", "？*", "tag_0", ":tenant",
)  # fmt: skip
QUERIES = (
    *STRANGE, "*:*", "words_1", "terms : note", '"note', "note OR other", "NOT note", "note*",
    "NEAR(note other)", "^note", "{terms}: note", "-note", "note + other", "(note", "note) OR (1",
    "记忆%", "rowid:1", "AND", "note AND NOT x", "\U0001f600", "١", "note\x00other",
)  # fmt: skip
FOREIGN = 7
"""The id of a memory that the second tenant has and the first has not."""
DISGUISED = (
    str(FOREIGN), str(2**40), str(2**40 + 1), str(2**40 + FOREIGN), str(2**41 + 1),
    str(2**63 - 1), str(2**63), str(2**64 + 1), "9" * 12, "9" * 40, "-1", str(-(2**40) + 1),
    f"-{2**40 - 1}", "0", "00", "01", "000000000001", " 1", "1 ", "+1", "1_0", "1.0", "1e0", "0x1",
    "１", "١", "²", "1\x00", "1;2", "1,2", "None", "",
)  # fmt: skip


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "shared.db"
    for tenant, more in (("one", 0), ("two", FOREIGN - 6)):
        with opened(path, tenant=tenant, embedder=embedder(tenant)) as memory:
            fill(memory, tenant, more)
    return path


def embedder(tenant: str) -> WordHashes:
    """Each tenant has its own model."""
    return WordHashes(f"toy:{tenant}", 16 if tenant == "one" else 8)


@pytest.fixture
def one(path: Path) -> Iterator[Memory]:
    with opened(path, tenant="one", embedder=embedder("one")) as memory:
        yield memory


@pytest.fixture
def two(path: Path) -> Iterator[Memory]:
    with opened(path, tenant="two", embedder=embedder("two")) as memory:
        yield memory


def fill(memory: Memory, tenant: str, more: int) -> None:
    """Six like-named memories, 1 to 6, and more of them."""
    same: dict[str, Any] = {
        "type": "note", "subject": "Ann", "topic": "topic", "location": "home", "source": tenant,
        "facets": {"k": "v"}, "time": "2026-02-01",
    }  # fmt: skip
    tags = ["common", *STRANGE] if tenant == "two" else ["common"]
    in_one = replace(memory.context, trace_id="shared-trace")
    shared = [encode(f"note other 记忆 of {tenant}", tags=tags, **same) for _ in range(2)]
    assert execute(shared, memory.adapter, context=in_one, embedder=embedder(tenant)).ok
    done(memory, fact("Ann", "city", tenant, source=tenant, valid_from="2026-01-01"))
    done(memory, fact("Ann", "city", f"{tenant} later", source=tenant))
    done(memory, encode(f"archived note of {tenant}", tags=tags, **same))
    done(memory, encode(f"deleted note of {tenant}", tags=tags, **same))
    done(memory, on("Demote", ["5"], archive=True), on("Delete", ["6"]))
    for number in range(more):
        done(memory, encode(f"secret {number} of {tenant} % _ *", tags=tags, **same))


def targets() -> Iterator[dict[str, Any]]:
    """Every selector, with what might mean more than it says."""
    everything = {"include": ["archived", "deleted"]}
    yield {"all": True}
    yield {"filter": everything}
    yield {"filter": {"time_range": {"start": "2000-01-01"}, **everything}}
    yield {"filter": {"weight_gte": 0.0, **everything}}
    yield {"filter": {"has_tags": ["common", *STRANGE], "match": "any", **everything}}
    yield {"filter": {"not_tags": ["nobody has it"], **everything}}
    yield {"filter": {"facets": {"k": "v"}, **everything}}
    for name in ("type", "subject", "location", "topic", "attribute"):
        for value in ("note", "Ann", "home", "topic", "city", *STRANGE):
            yield {"filter": {name: value, **everything}}
    for tag in ("common", *STRANGE):
        yield {"filter": {"has_tags": [tag], **everything}}
        yield {"filter": {"has_tags": [tag, "common"]}}
    for query in ("note", "note other", "记忆", "of two secret", "later", *QUERIES):
        yield find(query, limit=50)
        yield find(query, overrides={"alpha": 0.0})
        yield find(query, overrides={"alpha": 1.0})
        yield find(query, limit=3, overrides={"order_by": "time"})
    yield {"search": {"intent": {"vector": embedder("one").vector("secret of two")}}}


def seen(memory: Memory) -> list[str]:
    """What a tenant is told by every read there is, as text: rows, scores, counts, warnings."""
    told: list[str] = []
    times = ({}, {"as_of": "2026-01-15"}, {"known_at": "2026-03-02T09:00:00Z"})
    for target in targets():
        for time in times:
            try:
                result = memory.execute([read(target, include_archived=True, **time)])
            except ValidationError as error:
                told.append(str([found.code for found in error.diagnostics]))
                continue
            step = result.as_dict()["results"][0]
            heard = [step[name] for name in ("rows", "matched", "warnings", "error")]
            told.append(json.dumps(heard, ensure_ascii=False))
    told.append(str(memory.view().tags()))
    told.append(str([record.text for record in memory.view().recent(50)]))
    told.append(str([logged.trace_id for logged in memory.log(limit=100)]))
    told.append(str(memory.adapter.active(memory.context)))
    for id_ in map(str, range(1, 12)):
        history = [(e.trail, e.changes) for e in memory.history(id_)]
        told.append(f"{memory.show(id_)} {memory.lineage(id_)} {history}")
    return told


def refused(memory: Memory, step: Step) -> bool:
    """Whether a step is none that this tenant can run: no such memory, or no such id at all."""
    try:
        result = memory.execute([step])
    except ValidationError:
        return True
    return result.error is not None and result.error.code == "not-found"


# --- reading -------------------------------------------------------------------------------


def test_no_read_tells_of_the_other_tenant(one: Memory, two: Memory) -> None:
    told = seen(one)
    assert not [line for line in told if "of two" in line or "two later" in line]
    assert len([line for line in told if "of one" in line]) > 100
    assert [line for line in seen(two) if "secret 0 of two" in line]


def test_what_a_tenant_sees_does_not_move_when_the_other_writes(
    one: Memory, two: Memory, path: Path
) -> None:
    before = seen(one)
    basis = one.preview(encode("mine")).basis
    for number in range(40):
        done(two, encode(f"note other 记忆 {number}", tags=["common"], subject="Ann"))
    done(two, fact("Ann", "city", "moved"), merge("1", "2"), on("Delete", ["9"], soft=False))
    done(two, on("Delete", {"filter": {"has_tags": ["common"]}}))
    assert two.reindex(afresh=True)
    assert two.tick().warnings == ()
    assert seen(one) == before
    mine = one.execute([encode("mine")], basis=basis)  # what was shown still holds
    assert mine.ok and mine.results[0].created == ("7",)
    assert faults(path) == []


def test_wide_writes_are_measured_by_what_is_the_tenants_own(one: Memory, two: Memory) -> None:
    for _ in range(100):
        done(two, encode("filler"))
    for number in range(30):
        done(one, encode("doomed", tags=["doomed"], subject=str(number)))
    unsure = replace(one.context, confirmed=False)
    doomed = on("Delete", {"filter": {"has_tags": ["doomed"]}})
    result = execute([doomed], one.adapter, context=unsure)
    assert result.error is not None and result.error.code == "needs-confirmation"
    assert "30 of 34" in result.error.message


# --- ids -----------------------------------------------------------------------------------


@pytest.mark.parametrize("id_", DISGUISED)
def test_no_spelling_of_an_id_reaches_the_other_tenant(
    id_: str, one: Memory, two: Memory, path: Path
) -> None:
    with closing(looked_at(path)) as connection:
        before = contents(connection)
    assert refused(one, read([id_]))
    assert refused(one, read(["1", id_], op="Summarize"))
    assert refused(one, on("Update", [id_], set={"text": "taken"}))
    assert refused(one, on("Label", ["1", id_], tags=["taken"]))
    assert refused(one, on("Delete", [id_], soft=False))
    assert refused(one, merge("1", id_))
    assert refused(one, merge(id_, "1"))
    assert refused(one, encode("child", lineage_parents=[id_]))
    assert refused(one, on("Expire", [id_], ttl="P1D"))
    assert (one.show(id_), one.lineage(id_), list(one.history(id_))) == (None, None, [])
    for offset in (1 << BITS, -(1 << BITS)):
        assert one.show(str(FOREIGN + offset)) is None
        assert two.show(str(FOREIGN + offset)) is None
    with closing(looked_at(path)) as connection:
        assert contents(connection) == before


def test_references_stand_for_what_is_the_tenants_own(one: Memory, two: Memory) -> None:
    found = done(
        one,
        read(find("secret of two", limit=9, overrides={"alpha": 0.0})),
        on("Label", ["$1"], tags=["mine"]),
        encode("child", lineage_parents=["$1"]),
        read({"filter": {"topic": "topic"}}),
        on("Label", ["$4"], tags=["mine"]),
    )
    affected = [id_ for step in found.results for id_ in step.affected]
    assert str(FOREIGN) not in {id_ for step in found.results[:2] for id_ in step.affected}
    assert set(affected) <= {"1", "2", "3", "4", "5", "6", "7"}
    assert ids(two, {"filter": {"has_tags": ["mine"]}}) == []


def test_each_tenant_counts_for_itself(one: Memory, two: Memory) -> None:
    created = [
        done(memory, encode("next")).results[0].created for memory in (one, two, two, one, two)
    ]
    assert created == [("7",), ("8",), ("9",), ("8",), ("10",)]


# --- the past ------------------------------------------------------------------------------


def test_a_trace_is_the_tenants_own(one: Memory, two: Memory, path: Path) -> None:
    theirs = done(two, on("Label", ["1"], tags=["theirs"])).trace_id
    for force in (False, True):
        undone = one.undo(theirs, force=force)
        assert undone.error is not None and undone.error.code == "no-such-trace"
    assert theirs not in {logged.trace_id for logged in log(one.adapter, one.context)}
    # Both have a program of this trace; each takes back its own.
    before = [ids(two, {"all": True}), two.history("1")]
    assert one.undo("shared-trace").ok
    assert one.show("1") is None
    assert [ids(two, {"all": True}), two.history("1")] == before
    assert faults(path) == []


def test_an_erasure_takes_nothing_of_the_other_tenant(one: Memory, two: Memory, path: Path) -> None:
    before = seen(two)
    done(one, on("Split", ["1"], strategy="by_chunks", params={"chunk_size": 9}))
    done(one, merge("2", "5"))
    everything = {"filter": {"include": ["archived", "deleted"]}}
    done(one, on("Delete", everything, soft=False, cascade=True))
    assert one.tick().warnings == ()
    assert seen(two) == before
    assert not [e for n in range(1, 9) for e in two.history(str(n)) if e.forgotten]
    assert faults(path) == []


def test_what_is_due_is_carried_out_for_one_tenant(one: Memory, two: Memory, path: Path) -> None:
    for memory in (one, two):
        done(memory, on("Expire", ["1"], ttl="P1D", on_expire="hard_delete"))
        done(memory, on("Promote", ["2"], remind={"rrule": "FREQ=DAILY"}))
    with opened(path, tenant="one", clock=FixedClock(NOW.replace(day=5))) as later:
        ticked = later.tick()
        assert ticked.expired == ("1",)
        assert [fired.memory["id"] for fired in ticked.fired] == ["2"]
    assert one.show("1") is None
    assert two.show("1") is not None
    with opened(path, tenant="two", clock=FixedClock(NOW.replace(day=5))) as later:
        assert len(later.tick().fired) == 1


# --- registry, indexes, vectors ------------------------------------------------------------


def test_a_registry_is_the_tenants_own(one: Memory, two: Memory) -> None:
    shipped = two.registry
    one.registry = Registry.load(
        {"version": 2, "confidence_floor": 0.9, "attributes": {"city": {"cardinality": "many"}}}
    )
    assert two.registry == shipped
    made = done(one, fact("Ann", "city", "a"), fact("Ann", "city", "b", confidence=0.5))
    assert "waits" in made.results[1].warnings[0]
    assert len(ids(one, {"filter": {"attribute": "city"}})) == 2
    done(two, fact("Ann", "city", "a"), fact("Ann", "city", "b", confidence=0.5))
    assert len(ids(two, {"filter": {"attribute": "city"}})) == 1


def test_indexes_are_made_anew_for_one_tenant(one: Memory, two: Memory, path: Path) -> None:
    def others() -> dict[str, Any]:
        with closing(looked_at(path)) as connection:
            held = contents(connection)
            (number,) = connection.execute(
                "SELECT number FROM tenants WHERE tenant = 'two'"
            ).fetchone()
        return {
            "words": held[f"words_{number}"],
            "vectors": [row for row in held["vectors"] if row[0] >> BITS == number],
            "tenant": [row for row in held["tenants"] if row[0] == number],
        }

    before = others()
    assert before["words"] and before["vectors"]
    assert one.reindex(afresh=True) > 0
    with opened(path, tenant="one", embedder=WordHashes("toy:third", 24)) as changed:
        assert changed.reindex(afresh=True) > 0
        assert ids(changed, find("note"))
    assert others() == before
    assert ids(two, find("note", overrides={"alpha": 1.0}))
    assert faults(path) == []


def test_a_connection_is_of_one_tenant(one: Memory) -> None:
    foreign = context(tenant="two")
    for use in (
        lambda: execute(read(["1"]), one.adapter, context=foreign),
        lambda: log(one.adapter, foreign),
        lambda: one.adapter.view(foreign),
        lambda: one.adapter.journal(
            Trail("t", 1, "Encode"), Effect(), Env(foreign, NOW, Prepared())
        ),
    ):
        with pytest.raises(ConfigurationError, match="bound to tenant 'one'"):
            use()


@pytest.mark.parametrize("name", ["%", "' OR 1=1 --", "one ", "ONE", "一", "1", "", "a" * 300])
def test_a_tenant_may_have_any_name(name: str, path: Path, one: Memory) -> None:
    with opened(path, tenant=name) as memory:
        assert ids(memory, {"all": True}) == []
        assert done(memory, encode("first")).results[0].created == ("1",)
        assert ids(memory, find("note first")) == ["1"]
    with opened(path, tenant=name) as memory:
        assert ids(memory, {"all": True}) == ["1"]
    assert ids(one, find("first", overrides={"alpha": 0.0})) == []


def test_many_tenants_in_turn_leave_a_sound_file(tmp_path: Path) -> None:
    path, chance = tmp_path / "many.db", random.Random(4)
    memories = [opened(path, tenant=f"t{number}") for number in range(12)]
    for turn in range(120):
        memory = chance.choice(memories)
        tenant = memory.context.tenant
        made = done(memory, encode(f"note {turn} of {tenant}", tags=["common"])).results[0].created
        if turn % 5 == 0:
            done(memory, on("Delete", made, soft=False))
    for memory in memories:
        tenant = memory.context.tenant
        rows = done(memory, read(find("note", limit=100))).results[0].rows
        assert rows and all(row["text"].endswith(f"of {tenant}") for row in rows)
        memory.close()
    assert faults(path) == []
