"""Forgetting a subject or an episode: what goes, what stays and why, and what is said of it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.episodes import CASES, ONE_TENANT, Json, as_fact, at, said, turns
from tests.playing_episodes import Dialogue, ledger_of, played_with_episodes
from tests.reading import scripted
from tests.store.programs import NOW, done, encode, fact, merge, on, opened
from tests.store.secret_words import bytes_of
from text2mem import ExecutionContext, Memory
from text2mem.clock import SetClock
from text2mem.errors import ConfigurationError
from text2mem.ir.record import Record
from text2mem.ledger.forgetting import Forgotten, forget
from text2mem.ledger.holdings import sources

HASH = re.compile(rb"[0-9a-f]{12,}")

# --- the dialogues -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("case", "where"),
    [(case, "file") for case in CASES.values()] + [(c, "plain") for c in ONE_TENANT.values()],
    ids=[f"{id_}-file" for id_ in CASES] + [f"{id_}-memory" for id_ in ONE_TENANT],
)
def test_what_the_dialogues_forget_is_gone(case: Json, where: str, tmp_path: Path) -> None:
    path = tmp_path / "store.db" if where == "file" else None
    with played_with_episodes(case, path) as dialogue:
        before = {tenant: current(dialogue, tenant) for tenant in case["tenants"]}
        heard = turns(case)
        for order in case["forget"]:
            dialogue.clock.at = at(order["at"])
            tenant, ids = order["tenant"], dialogue.episodes[order["tenant"]]
            ledger = dialogue.ledger(tenant)
            asked = {"subject": order["subject"]} if "subject" in order else {}
            asked = asked or {"episode": ids[order["episode"]]}
            seen = forget(ledger_of(dialogue.stores[tenant], dry_run=True), **asked)
            report = forget(ledger, **asked)
            assert report.ok and report.error is None and not report.erase_pending
            assert without_run(seen) == without_run(report)
            gone = order["gone"]
            erased_turns = {dialogue.named(tenant, id_) for id_ in report.episodes}
            assert set(gone["episodes"]) <= erased_turns
            # Beside what stated something, words of which no one can tell what they state.
            assert not any(
                t["gold"] for t in heard if t["episode"] in erased_turns - set(gone["episodes"])
            )
            assert erased_turns == set(gone["episodes"]) or "subject" in order
            assert not ledger.in_any_state((*report.facts, *report.episodes))
            erased = {as_fact(fact) for fact in gone["facts"]}
            assert erased.isdisjoint(as_fact(fact) for fact in facts(dialogue, tenant))
            assert current(dialogue, tenant) == in_order(order["facts"])
            for other in set(case["tenants"]) - {tenant}:
                assert current(dialogue, other) == before[other]
            heard = [
                t for t in heard if t["tenant"] != tenant or t["episode"] not in gone["episodes"]
            ]
            if path is not None:
                # Another tenant of the file may well have said the same.
                others = [said(turn) for turn in heard if turn["tenant"] != tenant]
                for other in set(case["tenants"]) - {tenant}:
                    others += in_order(facts(dialogue, other))
                words = [w for w in gone["words"] if not any(w in text for text in others)]
                assert sum(holds(path, word) for word in words) == 0


def current(dialogue: Dialogue, tenant: str) -> list[str]:
    """What holds now, as the cases write it."""
    return in_order(facts(dialogue, tenant, now=True))


def facts(dialogue: Dialogue, tenant: str, *, now: bool = False) -> list[Json]:
    """The facts of a tenant in whatever state, or those that hold now."""
    memory = dialogue.stores[tenant]
    if now:
        target = {"filter": {"has_tags": ["fact"], "limit": 500}}
        rows = done(memory, on("Retrieve", target) | {"stage": "RET"}).results[0].rows
        records = [memory.show(row["id"]) for row in rows]
    else:
        found = memory.adapter.records(memory.context, dialogue.clock.now())
        records = [record for record in found if record.is_fact]
    there = dialogue.episodes[tenant]
    return [
        {
            "subject": record.subject,
            "attribute": record.attribute,
            "value": record.value,
            "sources": [n for id_ in sources(record) if (n := told(there, id_, memory))],
        }
        for record in records
        if record is not None
    ]


def told(there: dict[str, str], id_: str, memory: Memory) -> str | None:
    """The name of an episode that is still there."""
    return next(n for n, i in there.items() if i == id_) if memory.show(id_) else None


def in_order(found: list[Json]) -> list[str]:
    return sorted(json.dumps(each, sort_keys=True, ensure_ascii=False) for each in found)


def holds(path: Path, word: str) -> bool:
    """Whether the bytes of a store hold a word; by chance, a hash may hold any four digits."""
    return any(word.encode() in HASH.sub(b"", data) for data in bytes_of(path).values())


def without_run(report: Forgotten) -> dict[str, Any]:
    """A report without what a dry run leaves out."""
    return {k: v for k, v in report.as_dict().items() if k not in ("dry_run", "trace_id")}


# --- subjects ------------------------------------------------------------------------------


def episode(memory: Memory, text: str) -> str:
    (id_,) = done(memory, encode(text, type="episode", facets={"role": "user"})).results[0].created
    return id_


def stated(memory: Memory, source: str | None, subject: str, attribute: str, value: Any,
           **args: Any) -> str:  # fmt: skip
    heard = {} if source is None else {"source_episode_id": source}
    result = done(memory, fact(subject, attribute, value, **heard, **args)).results[0]
    return result.affected[0]


def show(memory: Memory, id_: str) -> Record | None:
    return memory.show(id_)


def test_every_version_of_a_subject_goes_and_nothing_comes_back(memory: Memory) -> None:
    heard = [episode(memory, f"turn {n}") for n in range(5)]
    first = stated(memory, heard[0], "bram", "city", "Ghent", valid_from="2025-01-01T00:00:00Z")
    second = stated(memory, heard[1], "bram", "city", "Lille")
    waits = stated(memory, heard[2], "bram", "diet", "vegan", confidence=0.1)
    gone = stated(memory, heard[3], "bram", "team", "red")
    done(memory, on("Delete", [gone]))
    ahead = stated(memory, heard[3], "bram", "role", "chair", valid_from="2027-01-01T00:00:00Z")
    points = stated(memory, heard[4], "ann", "brother", "Bram")
    note = done(memory, encode("a note", subject="Bram")).results[0].created[0]
    stays = stated(memory, None, "ann", "city", "Bruges")
    report = forget(ledger_of(memory), subject="BRAM")
    assert set(report.facts) == {first, second, waits, gone, ahead, points}
    assert (set(report.episodes), report.others) == (set(heard), (note,))
    assert (report.kept, report.lost_source) == ((), ())
    assert show(memory, stays) is not None
    assert not any(show(memory, id_) for id_ in (first, second, waits, gone, ahead, points, note))
    assert not any(show(memory, id_) for id_ in heard)
    assert forget(ledger_of(memory), subject="bram").as_dict()["facts"] == []


def test_an_episode_that_others_rest_on_alone_stays_and_says_so(memory: Memory) -> None:
    both = episode(memory, "Bram lives in Ghent, and Ann in Bruges.")
    bram = stated(memory, both, "bram", "city", "Ghent")
    ann = stated(memory, both, "ann", "city", "Bruges")
    report = forget(ledger_of(memory), subject="bram")
    assert (report.facts, report.episodes) == ((bram,), ())
    assert [kept.as_dict() for kept in report.kept] == [
        {"id": both, "what": "episode", "reason": f"of others, fact {ann} rests on it alone"}
    ]
    assert show(memory, both) is not None
    again = episode(memory, "Ann lives in Bruges; Bram likes rain.")
    stated(memory, again, "ann", "city", "Bruges")
    likes = stated(memory, again, "bram", "likes", "rain")
    stated(memory, both, "bram", "city", "Ghent")
    report = forget(ledger_of(memory), subject="bram")
    assert likes in report.facts and report.episodes == (both,)
    assert (report.lost_source, [kept.id for kept in report.kept]) == ((ann,), [again])
    left = show(memory, ann)
    assert left is not None and left.value == "Bruges"


SAID: tuple[tuple[str, Json], ...] = (
    ("names", {"text": "The vet says Leela needs to lose two kilos."}),
    ("waits", {"text": "Leela lives in Leeds."}),
    ("tie", {"text": "My sister's flat is on the third floor.", "speaker": "Priya"}),
    ("owner", {"text": "Priya's sister needs a plumber by Monday.", "speaker": "Sam"}),
    ("chinese", {"text": "莉拉家的水管上周三又漏了。", "speaker": "Priya"}),
    ("own", {"text": "I ended up with the oak floor for the hallway.", "speaker": "leela"}),
    ("result", {"structured": {"note": "Leela asked for a window seat"}, "role": "tool"}),
    ("joke", {"text": "Haha, Leela would marry her editor if she could."}),
    ("question", {"text": "Has Leela written?"}),
    ("assistant", {"text": "Leela sounds fun.", "role": "assistant"}),
    ("other", {"text": "Leela and I had soup. I live in Bonn now.", "speaker": "Priya"}),
    ("chat", {"text": "Is it going to rain?", "speaker": "Leela"}),
    ("namesake", {"text": "Leelavati keeps bees in the yard.", "speaker": "Priya"}),
    ("kin", {"text": "My brother's flat is on the first floor.", "speaker": "Priya"}),
)


@pytest.fixture
def said_of_leela(memory: Memory) -> dict[str, str]:
    """Turns by what they are. Of those that are read only the fact that Priya lives in Bonn."""
    seen = {what: memory.observe([said], extract=False)[0].episode for what, said in SAID}
    stated(memory, seen["other"], "priya", "city", "Bonn")
    done(memory, on("Label", [seen["other"]], facets={"about": ["priya"]}))
    stated(memory, None, "priya", "sister", "Leela")
    return seen


def test_turns_that_name_a_subject_and_were_not_read_go(
    memory: Memory, said_of_leela: dict[str, str]
) -> None:
    report = forget(ledger_of(memory), subject="Leela")
    ids = said_of_leela
    stay = ("chinese", "assistant", "other", "namesake", "kin")
    assert report.episodes == tuple(id_ for what, id_ in ids.items() if what not in stay)
    listed = ("assistant", "other")
    assert [(kept.id, kept.what) for kept in report.kept] == [(ids[w], "episode") for w in listed]
    assert {kept.reason for kept in report.kept} == {
        "it names the subject, of which nothing was read"
    }
    assert forget(ledger_of(memory), subject="莉拉").episodes == (ids["chinese"],)


def test_a_thorough_deletion_takes_every_turn_that_names_the_subject(
    memory: Memory, said_of_leela: dict[str, str]
) -> None:
    ids = said_of_leela
    seen = forget(ledger_of(memory, dry_run=True), subject="Leela", thorough=True)
    report = memory.forget(subject="Leela", thorough=True)
    assert without_run(seen) == without_run(report) and report.ok
    left = ("chinese", "namesake", "kin")
    assert report.episodes == tuple(id_ for what, id_ in ids.items() if what not in left)
    assert report.kept == () and not memory.ledger.facts(subject="priya")
    assert all(show(memory, ids[what]) for what in left)


@pytest.mark.parametrize(
    ("subject", "text", "goes"),
    [
        ("John Black", "Is the John Deere mower black or green?", False),
        ("John Black", "John drinks black coffee.", False),
        ("John Black", "Did John Black call?", True),
        ("open day", "What day is it, and is the chemist's still open?", False),
        ("priya_sister", "Priya rang. Priya's little sister called, too.", True),
        ("普里娅_妹妹", "普里娅妹妹来吗？", True),
        ("普里娅_妹妹", "普里娅的妹妹来吗？", True),
        ("普里娅_妹妹", "妹妹问普里娅来吗？", False),
    ],
)
def test_the_words_of_a_name_do_not_name_it_one_by_one(
    memory: Memory, subject: str, text: str, goes: bool
) -> None:
    stated(memory, None, subject, "city", "Leeds")
    heard = memory.observe([{"text": text, "speaker": "ann"}], extract=False)[0].episode
    for thorough in (False, True):
        seen = forget(ledger_of(memory, dry_run=True), subject=subject, thorough=thorough)
        assert seen.episodes == ((heard,) if goes else ())
        assert seen.kept == ()


@pytest.mark.parametrize(
    ("text", "words", "subject", "goes"),
    [
        ("Leela has a new number, 0170 55.", "Leela has a new number, 0170 55", "user", True),
        ("Leela rang. Her number is 0170 55 now.", "Her number is 0170 55 now", "user", True),
        ("So Leela: two kids, number 0170 55.", "number 0170 55", "user", True),
        ("Priya's sister rang, Priya's sister: 0170 55.", "Priya's sister: 0170 55", "priya", True),
        ("莉拉搬走了，电话是017055。", "电话是017055", "user", True),
        ("Leela rang. My number is 0170 55 now.", "My number is 0170 55 now", "user", False),
        ("Leela rang. Sam has 0170 55 now.", "Sam has 0170 55 now", "sam", False),
        ("莉拉搬走了，我的电话是017055。", "我的电话是017055", "user", False),
    ],
)
def test_what_was_taken_for_anothers_in_a_turn_that_names_the_subject(
    memory: Memory, text: str, words: str, subject: str, goes: bool
) -> None:
    heard = memory.observe([text], extract=False)[0].episode
    done(memory, on("Label", [heard], facets={"about": [subject]}))
    stated(memory, None, "priya", "sister", "Leela")
    made_of = fact(subject, "phone", "017055", source_episode_id=heard)
    begin = text.index(words)
    made_of["args"]["payload"]["span"] = [begin, begin + len(words)]
    made = done(memory, made_of)
    fact_id = made.results[0].affected[0]
    report = forget(ledger_of(memory), subject="莉拉" if "莉拉" in text else "leela")
    assert (heard in report.episodes, fact_id in report.facts) == (goes, goes)
    assert [kept.id for kept in report.kept] == ([] if goes else [heard])


def test_a_cascade_takes_split_children_and_merge_primaries(memory: Memory) -> None:
    heard = episode(memory, "Bram lives in Ghent. He has a dog.")
    city = stated(memory, heard, "bram", "city", "Ghent")
    parts = done(memory, on("Split", [heard], strategy="by_sentences")).results[0].created
    primary = done(memory, encode("primary")).results[0].created[0]
    done(memory, merge(primary, parts[0]))
    report = forget(ledger_of(memory), subject="bram")
    assert (report.facts, report.episodes) == ((city,), (heard, *parts))
    assert report.others == (primary,)
    assert not any(show(memory, id_) for id_ in (heard, *parts, primary))


# --- episodes ------------------------------------------------------------------------------


def test_an_episode_takes_what_rests_on_it_alone(memory: Memory) -> None:
    one, two = episode(memory, "one"), episode(memory, "two")
    older = stated(memory, None, "bram", "city", "Lille", valid_from="2025-01-01T00:00:00Z")
    alone = stated(memory, one, "bram", "city", "Ghent")
    shared = stated(memory, one, "ann", "city", "Bruges")
    stated(memory, two, "ann", "city", "Bruges")
    report = forget(ledger_of(memory), episode=one)
    assert (report.facts, report.episodes) == ((alone,), (one,))
    assert (report.lost_source, [kept.id for kept in report.kept]) == ((shared,), [shared])
    assert "heard in" in report.kept[0].reason
    closed = show(memory, older)
    assert closed is not None and closed.valid_to is not None  # what it superseded stays over
    assert ledger_of(memory).facts(subject="bram") == []
    # The other source of the shared fact was the last one that is left.
    report = forget(ledger_of(memory), episode=two)
    assert (report.facts, report.episodes) == ((shared,), (two,))


def test_what_is_said_by_hand_too_outlives_its_episode(memory: Memory) -> None:
    one = episode(memory, "one")
    shared = stated(memory, one, "ann", "city", "Bruges")
    stated(memory, None, "ann", "city", "Bruges")
    assert forget(ledger_of(memory), episode=one).lost_source == (shared,)
    assert show(memory, shared) is not None


def test_an_id_of_another_system_is_an_episode_as_well(memory: Memory) -> None:
    alone = stated(memory, "mail-7", "ann", "city", "Bruges")
    assert forget(ledger_of(memory), episode="mail-7").facts == (alone,)


@pytest.mark.parametrize("which", ["unknown", "fact"])
def test_what_is_no_episode_is_refused(memory: Memory, which: str) -> None:
    a_fact = stated(memory, None, "ann", "city", "Bruges")
    id_ = "999" if which == "unknown" else a_fact
    report = forget(ledger_of(memory), episode=id_)
    assert report.error is not None and not report.ok
    assert report.error.code == {"unknown": "not-found", "fact": "not-an-episode"}[which]
    assert show(memory, a_fact) is not None


def test_what_was_taken_back_cannot_come_back(memory: Memory) -> None:
    kept, taken = done(memory, encode("kept")), done(memory, encode("taken back"))
    assert memory.undo(taken.trace_id).ok
    back = memory.log(limit=1)[0].trace_id
    assert memory.forget(taken_back=True).others == ("2",)
    refused = memory.undo(back)
    assert refused.error is not None and refused.error.code == "undo-erased"
    assert memory.undo(kept.trace_id).ok


def test_one_of_both_is_named(memory: Memory) -> None:
    asked: tuple[Json, ...] = (
        {}, {"subject": " "}, {"episode": ""}, {"subject": "ann", "episode": "1"}, {"subject": 5},
        {"episode": 1.5}, {"subject": "ann", "taken_back": True},
        {"episode": "1", "taken_back": True}, {"taken_back": True, "thorough": True},
    )  # fmt: skip
    for each in asked:
        with pytest.raises(ConfigurationError):
            forget(ledger_of(memory), **each)
    heard = episode(memory, "Ann lives in Bruges.")
    assert memory.forget(episode=int(heard)).episodes == (heard,)  # type: ignore[arg-type]


# --- rights, width, dry runs ---------------------------------------------------------------


def test_what_may_not_be_read_stays_and_what_may_not_be_written_refuses(memory: Memory) -> None:
    hidden = stated(memory, None, "ann", "city", "Bruges")
    assert forget(ledger_of(memory, actor="eve"), subject="ann").facts == ()
    shown = stated(memory, None, "ann", "team", "red", read_perm_level="public")
    refused = forget(ledger_of(memory, actor="eve"), subject="ann")
    assert refused.error is not None and refused.error.code == "not-writable"
    assert show(memory, hidden) and show(memory, shown)


def test_a_lock_refuses_the_whole(memory: Memory) -> None:
    locked = stated(memory, None, "ann", "city", "Bruges")
    other = stated(memory, None, "ann", "team", "red")
    done(memory, on("Lock", [locked], mode="read_only"))
    refused = forget(ledger_of(memory), subject="ann")
    assert refused.error is not None and refused.error.code == "locked"
    assert show(memory, other) is not None


def test_much_needs_a_confirmation(memory: Memory) -> None:
    for number in range(25):
        stated(memory, None, "ann", f"a{number}", "x")
    refused = forget(ledger_of(memory, confirmed=False), subject="ann")
    assert refused.error is not None and refused.error.code == "needs-confirmation"
    shown = forget(ledger_of(memory, confirmed=False, dry_run=True), subject="ann")
    assert shown.dry_run and len(shown.facts) == 25 and shown.trace_id is None
    assert len(forget(ledger_of(memory), subject="ann").facts) == 25


def test_more_than_the_cap_goes_in_one_program(tmp_path: Path) -> None:
    # In a file: a store in memory copies its state at every step.
    with opened(tmp_path / "store.db", clock=SetClock(NOW)) as memory:
        programs = [fact("ann", f"a{number}", "x") for number in range(1_010)]
        assert all(result.ok for result in memory.execute_many([[p] for p in programs]))
        refused = forget(ledger_of(memory, confirmed=False), subject="ann")
        assert refused.error is not None and refused.error.code == "over-cap"
        report = forget(ledger_of(memory), subject="ann")
        assert len(report.facts) == 1_010
        assert len(memory.log(limit=1)[0].ops) == 3 and memory.log()[0].trace_id == report.trace_id


def test_a_report_on_a_subject_says_that_turns_are_unread() -> None:
    bram = {"subject": "Bram", "attribute": "city", "value": "Ghent"}
    model = scripted({"My brother Bram lives in Ghent.": [bram]})
    with Memory("memory:", model=model, context=ExecutionContext(confirmed=True)) as memory:
        memory.observe("My brother Bram lives in Ghent.", extract=False)
        memory.observe("He has a dog.", extract=False)
        report = memory.forget(subject="bram")
        assert len(report.episodes) == 1 and "unread turns in the queue: 1" in report.warnings[1]
        memory.observe("My brother Bram lives in Ghent.", extract=False)
        memory.work()
        report = memory.forget(subject="bram")
        assert report.facts and "unread" not in str(report.warnings)


def test_a_value_that_was_set_by_hand_does_not_rest_on_what_said_the_one_before() -> None:
    with opened(":memory:", confirmed=True) as memory:
        done(memory, encode("I live in Bergen."))
        done(memory, fact("ann", "city", "Bergen", source_episode_id="1", source="user:ann"))
        done(memory, on("Update", ["2"], set={"value": "Ghent"}))
        assert memory.recall(subject="ann", attribute="city").lines[0].citations == ("m3",)
        assert memory.forget(episode="1").facts == ("2",)
        assert memory.recall(subject="ann", attribute="city").values == ("Ghent",)
