"""Export: all that is held on a subject, in a stable order, and nothing else."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.episodes import ONE_TENANT, Json, at, turns
from tests.playing_episodes import ledger_of, played_with_episodes
from tests.store.programs import NOW, context, done, encode, fact, on, opened
from text2mem import Memory
from text2mem.clock import SetClock
from text2mem.errors import ConfigurationError
from text2mem.ledger.export import export


def a_life(memory: Memory) -> None:
    """A subject with versions of every kind."""
    clock = memory.context.clock
    assert isinstance(clock, SetClock)
    done(memory, encode("Bram moved to Ghent.", type="episode", facets={"role": "user"}))
    city = [("Lille", "2025-01-01"), ("Ghent", "2026-01-01")]
    for value, since in city:
        heard = {"source_episode_id": "1"} if value == "Ghent" else {}
        told = fact("bram", "city", value, valid_from=since, type="fact", **heard)
        done(memory, told)
    clock.at = NOW + timedelta(hours=1)
    done(memory, on("Update", ["3"], set={"value": "Gent", "valid_from": "2026-01-01"}))
    done(memory, fact("bram", "diet", "vegan", confidence=0.1))
    done(memory, fact("bram", "team", "red"), on("Delete", ["$1"]))
    done(memory, fact("ann", "brother", "Bram", retention_policy="short"))
    done(memory, fact("bram", "role", "chair", valid_from="2027-01-01"))
    done(memory, encode("a note about him", subject="Bram", topic="people"))
    done(memory, fact("ann", "city", "Bruges"), encode("a note about nobody"))


def test_everything_of_a_subject_is_told(memory: Memory) -> None:
    a_life(memory)
    held = export(ledger_of(memory), "BRAM")
    assert (held["format"], held["subject"], held["tenant"]) == (1, "bram", "default")
    lines = {line["attribute"]: line["versions"] for line in held["facts"]}
    assert list(lines) == ["city", "role", "team"]
    told = [(v["value"], v["state"], v["valid_from"], v["valid_to"]) for v in lines["city"]]
    assert told == [
        ("Lille", "past", "2025-01-01T00:00:00Z", "2026-01-01T00:00:00Z"),
        ("Ghent", "never", "2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z"),
        ("Gent", "current", "2026-01-01T00:00:00Z", None),
    ]
    ghent = lines["city"][1]
    assert (ghent["recorded_at"], ghent["retracted_at"]) == (
        "2026-03-02T09:00:00Z", "2026-03-02T10:00:00Z",
    )  # fmt: skip
    assert [change["at"] for change in ghent["recorded"]] == [
        "2026-03-02T09:00:00Z", "2026-03-02T10:00:00Z",
    ]  # fmt: skip
    assert ghent["episodes"] == ["1"] and ghent["supersedes"] == "2"
    assert lines["city"][2]["retracted_at"] is None
    assert [v["state"] for v in lines["role"] + lines["team"]] == ["ahead", "deleted"]
    assert [(v["attribute"], v["confidence"]) for v in held["waiting"]] == [("diet", 0.1)]
    (points,) = held["pointing"]
    assert (points["subject"], points["value"]) == ("ann", "Bram")
    assert points["retention"] == {
        "class": "short", "expire_at": "2026-04-01T10:00:00Z", "on_expire": "soft_delete",
    }  # fmt: skip
    assert [e["text"] for e in held["episodes"]] == ["Bram moved to Ghent."]
    assert [m["text"] for m in held["memories"]] == ["a note about him"]


def test_the_order_is_stable_and_both_backends_say_the_same(tmp_path: Path) -> None:
    said = []
    for opening in (lambda: opened(tmp_path / "s.db", clock=SetClock(NOW)),
                    lambda: Memory("memory:", context=context(clock=SetClock(NOW)))):  # fmt: skip
        with opening() as memory:
            a_life(memory)
            first = json.dumps(export(ledger_of(memory), "bram"))
            assert json.dumps(export(ledger_of(memory), "Bram")) == first
            said.append(first)
    assert said[0] == said[1]


def test_what_the_actor_may_not_read_is_not_told(memory: Memory) -> None:
    ann, eve = ledger_of(memory, actor="ann"), ledger_of(memory, actor="eve")
    assert ann.run(fact("bram", "city", "Ghent")).ok
    assert ann.run(fact("bram", "team", "red", read_perm_level="public")).ok
    assert ann.run(encode("about him", subject="bram")).ok
    held = export(eve, "bram")
    assert [line["attribute"] for line in held["facts"]] == ["team"]
    assert held["memories"] == []
    assert len(export(ann, "bram")["facts"]) == 2


def test_a_subject_is_a_name(memory: Memory) -> None:
    with pytest.raises(ConfigurationError, match="subject is 5"):
        memory.export(5)  # type: ignore[arg-type]


def test_what_is_due_is_carried_out_once(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(20):
        done(memory, fact("bram", f"a{number}", "x", expire_at="2026-03-02T09:30:00Z"))
    clock = memory.context.clock
    assert isinstance(clock, SetClock)
    clock.at = NOW + timedelta(hours=2)
    carried_out = []
    settle = type(memory.adapter).settle

    def counted(adapter: Any, env: Any) -> Any:
        effect = settle(adapter, env)
        carried_out.extend(effect.touched)
        return effect

    monkeypatch.setattr(type(memory.adapter), "settle", counted)
    held = export(ledger_of(memory), "bram")
    assert {v["state"] for line in held["facts"] for v in line["versions"]} == {"deleted"}
    assert len(carried_out) == len(held["facts"]) == 20


def test_a_subject_that_nobody_has_heard_of_is_empty(memory: Memory) -> None:
    held = export(ledger_of(memory), "nobody")
    assert [held[k] for k in ("facts", "pointing", "waiting", "episodes", "memories")] == [[]] * 5


@pytest.mark.parametrize("case", ONE_TENANT.values(), ids=ONE_TENANT)
def test_a_dialogue_s_subjects_are_exported_with_the_turns_that_stated_them(case: Json) -> None:
    with played_with_episodes(case, None) as dialogue:
        tenant = case["tenants"][0]
        dialogue.clock.at, ids = at(case["now"]), dialogue.episodes[tenant]
        kept = [
            (turn, gold) for turn in turns(case) for gold in turn.get("gold", ())
            if "optional" not in gold and gold["outcome"] != "ignored"
        ]  # fmt: skip
        for subject in {gold["subject"] for _, gold in kept}:
            held = export(dialogue.ledger(tenant), subject)
            versions: list[Any] = [v for line in held["facts"] for v in line["versions"]]
            waiting = [v for v in held["waiting"] if v["subject"] == subject]
            told = {each["id"] for each in held["episodes"]}
            stating = [(t, g) for t, g in kept if g["subject"] == subject]
            assert {ids[turn["episode"]] for turn, _ in stating} <= told
            # What its retention class has taken by now is not there to be told.
            memory = dialogue.stores[tenant]
            there = memory.adapter.records(memory.context, dialogue.clock.now(), subject=subject)
            alive = {r.id for r in there if r.is_fact and memory.show(r.id) is not None}
            assert sorted(v["id"] for v in versions + waiting) == sorted(alive)
            assert all(v["subject"] == subject for v in versions)
