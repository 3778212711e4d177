"""Observing: what is stored, what is read at once, and what a worker makes of the rest."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.reading import me, scripted
from text2mem import ExecutionContext, Memory
from text2mem.clock import SetClock
from text2mem.errors import ConfigurationError, MissingExtra, RequestRejected, ServiceUnreachable
from text2mem.ledger import working
from text2mem.ledger.candidate import Candidate, Reading
from text2mem.ledger.episode import Episode
from text2mem.ledger.known import Known
from text2mem.ledger.working import ATTEMPTS, Worker, retry, standing
from text2mem.providers import registry
from text2mem.providers.base import Provider, Request
from text2mem.providers.function import FunctionProvider
from text2mem.providers.profiles import SMALL

NOW = datetime(2026, 6, 1, 9, tzinfo=UTC)
READER = scripted(
    {
        "I live in Oslo.": [me("city", "Oslo")],
        "I live in Bergen.": [me("city", "Bergen")],
        "My password is correcthorse.": [me("password", "correcthorse")],
    }
)


@pytest.fixture
def clock() -> SetClock:
    return SetClock(NOW)


@pytest.fixture
def memory(clock: SetClock) -> Iterator[Memory]:
    with Memory("memory:", model=READER, context=ExecutionContext(clock=clock)) as memory:
        yield memory


def event(number: int, **fields: Any) -> dict[str, Any]:
    """A message that yields one fact."""
    return {"role": "event", "structured": {"ticket": "T-1", "status": f"p{number}", **fields}}


def test_an_episode_is_stored_as_it_came(memory: Memory) -> None:
    said = {"role": "user", "content": "Hello there.", "name": "Ann", "at": "2026-05-01T08:00:00Z"}
    (seen,) = memory.observe(said, session="s1")
    stored = memory.show(seen.episode)
    assert stored is not None
    assert (stored.type, stored.text, stored.source) == ("episode", "Hello there.", "user:Ann")
    assert stored.facets == {"role": "user", "speaker": "Ann", "session": "s1"}
    assert stored.when == datetime(2026, 5, 1, 8, tzinfo=UTC)
    episode = Episode.of(stored, UTC)
    assert (episode.text, episode.role, episode.session) == ("Hello there.", "user", "s1")


def test_a_structured_message_comes_back_as_it_was_and_is_no_fact(memory: Memory) -> None:
    looks_like_one = {"subject": "ann", "attribute": "password", "value": "x"}
    (seen,) = memory.observe({"role": "tool", "structured": looks_like_one}, extract=False)
    stored = memory.show(seen.episode)
    assert stored is not None
    assert not stored.is_fact
    assert Episode.of(stored, UTC).message.structured == looks_like_one


@pytest.mark.parametrize(
    ("said", "fault"),
    [
        ("  ", "empty"),
        ({"text": "x", "role": "robot"}, "robot"),
        ({"txt": "x"}, "unknown fields: txt"),
        ({"text": 3}, "a string"),
        (3, "a text or a mapping, not int"),
        (b"x", "a text or a mapping, not bytes"),
        ({"text": "x", "at": "soon"}, "soon"),
        ({"role": "tool", "structured": []}, "an object"),
        ({"role": "tool", "structured": {"a": 1}, "text": "I live in Oslo."}, "two messages"),
        ({"role": "tool", "structured": {"a": {1, 2}}}, "set is no JSON"),
        ({"role": "tool", "structured": {"a": NOW}}, "datetime is no JSON"),
        ({"role": "tool", "structured": {"a": float("nan")}}, "/structured/a not a finite number"),
        ({"role": "tool", "structured": {5: "a", "b": 1}}, "int is no key"),
        ({"text": "x", "name": 5}, "a name"),
        ({1: "x"}, "unknown fields: 1"),
        ({1: "x", "foo": "y"}, "unknown fields: 1, foo"),
        ({"text": "x", "at": 5}, "instant"),
        ({"text": "x", "at": "0001-01-01T00:00:00+14:00"}, "years"),
    ],
)
def test_what_is_no_message_is_said_and_nothing_is_stored(
    memory: Memory, said: Any, fault: str
) -> None:
    with pytest.raises(ConfigurationError, match=fault):
        memory.observe(["fine", said])
    with pytest.raises(ConfigurationError, match=fault):
        memory.observe(said)
    assert memory.log() == []


def test_a_limit_is_a_number(memory: Memory) -> None:
    with pytest.raises(ConfigurationError, match="limit is 'x'"):
        memory.work(limit="x")  # type: ignore[arg-type]


def test_a_session_is_a_name(memory: Memory) -> None:
    with pytest.raises(ConfigurationError, match="session"):
        memory.observe("fine", session=5)  # type: ignore[arg-type]
    assert memory.log() == []


def test_an_episode_written_by_hand_may_hold_anything_in_its_facets(memory: Memory) -> None:
    facets = {"role": ["user"], "speaker": 5, "session": {"a": 1}}
    args = {"payload": {"text": "I live in Oslo."}, "type": "episode", "facets": facets}
    assert memory.execute([{"stage": "ENC", "op": "Encode", "args": args}]).ok
    stored = memory.show("1")
    assert stored is not None
    episode = Episode.of(stored, UTC)
    assert (episode.role, episode.message.speaker, episode.session) == ("user", None, None)


def test_messages_of_one_call_are_stored_together_and_queued_but_for_the_assistants(
    memory: Memory,
) -> None:
    seen = memory.observe(["I live in Oslo.", {"role": "assistant", "text": "Good."}, event(1)])
    assert [each.queued for each in seen] == [True, False, True]
    assert len({each.trace_id for each in seen}) == 1
    assert standing(memory.ledger) == {"waiting": 2, "leased": 0, "dead": 0, "lag_seconds": 0}
    assert [worked.fate for worked in memory.work()] == ["read", "read"]
    assert memory.work() == ()


def test_the_caller_says_what_is_read_at_once(memory: Memory) -> None:
    (first,) = memory.observe("I live in Oslo.", extract=True)
    (second,) = memory.observe("I live in Bergen.")
    assert (first.queued, second.queued) == (False, True)
    assert first.reading is not None
    assert second.reading is None


@pytest.mark.parametrize(
    "model",
    [None, FunctionProvider(lambda request: pytest.fail("it was asked"), profile=SMALL)],
    ids=["none", "one that does not read conversations"],
)
def test_a_text_that_no_model_reads_waits_and_fields_are_read(
    model: Provider | None, clock: SetClock
) -> None:
    context = ExecutionContext(clock=clock)
    with Memory("memory:", reader=model or "none", context=context) as memory:
        text, fields = memory.observe(["I live in Oslo.", event(1)], extract=True)
        assert (text.queued, text.error) == (True, "NoReader")
        assert [outcome.became for outcome in fields.outcomes] == ["new"]
        for _ in range(2 * ATTEMPTS):
            clock.at += timedelta(minutes=1)
            assert [worked.error for worked in memory.work()] == ["NoReader"]
        clock.at += timedelta(minutes=1)
        able = Memory(memory.adapter, model=READER, context=context)
        assert [worked.fate for worked in able.work()] == ["read"]
        assert able.recall(subject="user", attribute="city").values == ("Oslo",)


def test_without_a_name_the_model_of_the_settings_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEXT2MEM_MODEL", "function:tests.unit.test_observing:lives_in_oslo")
    with Memory("memory:") as memory:
        (seen,) = memory.observe("I live in Oslo.", extract=True)
        assert [outcome.became for outcome in seen.outcomes] == ["new"]


def lives_in_oslo(_: Request) -> Any:
    """A model that reads the same in every turn."""
    return {"facts": [me("city", "Oslo")]}


def test_a_model_whose_packages_are_absent_reads_nothing_unless_it_was_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(registry, "_open", {})
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with Memory("memory:") as memory:
        assert memory.reader() is None
        assert memory.observe("I live in Oslo.")[0].queued
    named = Memory("memory:", model="local:qwen2.5-coder-0.5b")
    with named, pytest.raises(MissingExtra, match="local"):
        named.observe("I live in Oslo.")


def test_a_policy_may_have_every_turn_read_at_once(clock: SetClock) -> None:
    with Memory("memory:", context=ExecutionContext(clock=clock), policy="coding-agent") as memory:
        (seen,) = memory.observe(event(1))
        assert not seen.queued
        (later,) = memory.observe(event(2), extract=False)
        assert later.queued


def test_facts_of_an_event_are_current_once_it_has_been_read(memory: Memory) -> None:
    memory.observe([event(1), event(2)])
    first, second = memory.work()
    assert [o.became for o in first.outcomes] == ["new"]
    # Both are of one instant, so that the later one corrects the earlier.
    assert [o.became for o in second.outcomes] == ["correct"]
    assert [f.value for f in memory.ledger.facts(subject="t_1", attribute="status")] == ["p2"]


def failing(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    """From now on no episode can be read."""

    def extract(episode: Episode, known: Known, provider: object, **services: object) -> Reading:
        raise error

    monkeypatch.setattr(working, "extract", extract)


def test_what_cannot_be_read_now_is_read_later(
    memory: Memory, clock: SetClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as down:
        failing(down, ServiceUnreachable("it is down: secret words", service="model"))
        (seen,) = memory.observe(event(1), extract=True)
    assert (seen.queued, seen.error) == (True, "ServiceUnreachable")
    assert memory.work() == ()  # not yet due
    clock.at += timedelta(minutes=1)
    assert [worked.fate for worked in memory.work()] == ["read"]


@pytest.mark.parametrize(
    "error",
    [ServiceUnreachable("it is down", service="model"), ConfigurationError("a wrong key")],
    ids=["down", "wrong key"],
)
def test_what_is_no_fault_of_an_episode_does_not_give_it_up(
    memory: Memory, clock: SetClock, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    memory.observe(event(1))
    with monkeypatch.context() as down:
        failing(down, error)
        for _ in range(3 * ATTEMPTS):
            assert [worked.fate for worked in memory.work()] == ["failed"]
            clock.at += timedelta(minutes=1)
    (task,) = memory.adapter.queue.tasks(dead=False)
    assert (task.attempts, task.error) == (0, type(error).__name__)
    assert [worked.fate for worked in memory.work()] == ["read"]


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (KeyError("secret words"), "unexpected KeyError"),
        (RequestRejected("secret words"), "RequestRejected"),
    ],
)
def test_an_episode_is_given_up_in_the_end_and_can_be_tried_again(
    memory: Memory, clock: SetClock, monkeypatch: pytest.MonkeyPatch, error: Exception, kind: str
) -> None:
    memory.observe([event(1), event(2)])
    with monkeypatch.context() as broken:
        failing(broken, error)
        fates = []
        for _ in range(ATTEMPTS):
            fates += [worked.fate for worked in memory.work()]
            clock.at += timedelta(hours=1)
    assert fates == ["failed"] * 2 * (ATTEMPTS - 1) + ["dead"] * 2
    dead = memory.adapter.queue.tasks(dead=True)
    assert [task.error for task in dead] == [kind] * 2
    assert retry(memory.ledger, [dead[0].episode]) == 1
    assert [(worked.episode, worked.fate) for worked in memory.work()] == [("1", "read")]


def test_a_worker_whose_lease_was_taken_over_commits_nothing(
    memory: Memory, clock: SetClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.observe(event(1))
    slow, quick = Worker(memory.ledger), Worker(memory.ledger)
    real = working.extract

    def overtaken(episode: Episode, known: Known, provider: Any, **services: Any) -> Reading:
        clock.at += slow.lease
        with monkeypatch.context() as again:
            again.setattr(working, "extract", real)
            assert [worked.fate for worked in quick.run()] == ["read"]
        return Reading((Candidate(subject="t_1", attribute="status", value="wrong"),))

    with monkeypatch.context() as patched:
        patched.setattr(working, "extract", overtaken)
        assert [worked.fate for worked in slow.run()] == ["lost"]
    assert [f.value for f in memory.ledger.facts(subject="t_1", attribute="status")] == ["p1"]


def test_what_another_worker_took_meanwhile_is_told(
    memory: Memory, clock: SetClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Worker(memory.ledger)
    real = working.extract

    def slow(episode: Episode, known: Known, provider: Any, **services: Any) -> Reading:
        clock.at += timedelta(seconds=200)
        if episode.id == "2":
            with monkeypatch.context() as again:
                again.setattr(working, "extract", real)
                assert {(worked.episode, worked.fate) for worked in other.run()} == {
                    ("2", "read"), ("3", "read"),
                }  # fmt: skip
        return real(episode, known, provider, **services)

    with monkeypatch.context() as patched:
        patched.setattr(working, "extract", slow)
        seen = memory.observe([event(1), event(2), event(3)], extract=True)
    assert [each.error for each in seen] == [None, "LostLease", "LostLease"]
    assert not any(each.queued for each in seen)


def test_a_dry_run_stores_nothing_and_leaves_the_queue_as_it_is(
    memory: Memory, clock: SetClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = ExecutionContext(clock=clock, dry_run=True)
    dry = Memory(memory.adapter, model=READER, context=context)
    (now,) = dry.observe("I live in Oslo.", extract=True)
    (later,) = dry.observe("I live in Bergen.")
    assert [outcome.became for outcome in now.outcomes] == ["new"]
    assert (now.queued, later.queued) == (False, False)
    assert standing(memory.ledger)["waiting"] == memory.adapter.active(memory.context) == 0
    memory.observe([event(1), event(2)])
    assert [[o.became for o in worked.outcomes] for worked in dry.work()] == [["new"], ["new"]]
    with monkeypatch.context() as broken:
        failing(broken, KeyError("secret words"))
        assert [worked.fate for worked in dry.work(limit=1)] == ["failed"]
    assert [task.attempts for task in memory.adapter.queue.tasks(dead=False)] == [0, 0]
    memory.adapter.queue.failed("1", error="x", due=None)
    assert retry(dry.ledger, None) == 1
    assert standing(memory.ledger)["dead"] == 1
    assert memory.ledger.facts(attribute="status") == []


def test_an_episode_that_kills_its_workers_is_given_up(memory: Memory, clock: SetClock) -> None:
    memory.observe(event(1))
    for _ in range(ATTEMPTS):
        with memory.adapter.transaction():
            until = clock.at + timedelta(minutes=5)
            assert memory.adapter.queue.lease("w", now=clock.at, until=until, limit=1)
        clock.at = until
    assert [worked.fate for worked in memory.work()] == ["dead"]
    (task,) = memory.adapter.queue.tasks(dead=True)
    assert task.error == "LeaseRanOut"
    assert retry(memory.ledger, None) == 1
    assert [worked.fate for worked in memory.work()] == ["read"]


def test_an_episode_deleted_while_it_is_read_leaves_no_fact(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    (seen,) = memory.observe(event(1))
    real = working.extract

    def deleted(episode: Episode, known: Known, provider: Any, **services: Any) -> Reading:
        assert memory.undo(seen.trace_id).ok
        return real(episode, known, provider, **services)

    monkeypatch.setattr(working, "extract", deleted)
    assert [worked.fate for worked in memory.work()] == ["gone"]
    assert memory.ledger.facts(attribute="status") == []
    assert memory.adapter.queue.tasks(dead=False) == []


def test_a_worker_reads_what_its_actor_may_and_leaves_the_rest(
    memory: Memory, clock: SetClock
) -> None:
    ann, bob = (
        Memory(memory.adapter, context=ExecutionContext(clock=clock, actor=name))
        for name in ("ann", "bob")
    )
    ann.observe("I live in Oslo.")
    assert bob.work() == ()
    bob.observe("I live in Bergen.")
    assert [worked.fate for worked in memory.work()] == ["read", "read"]
    for whose, name, city in ((ann, "ann", "Oslo"), (bob, "bob", "Bergen")):
        (fact,) = whose.ledger.facts(attribute="city")
        assert (fact.subject, fact.value) == (name, city)
        assert whose.recall("Which city do I live in?").values == (city,)
    (fact,) = ann.ledger.facts(subject="ann", attribute="city")
    gone = {"stage": "STO", "op": "Delete", "target": {"ids": [fact.id]}}
    assert not bob.execute([gone]).ok
    assert ann.execute([gone]).ok


def test_facts_have_the_rights_of_their_episode(memory: Memory, clock: SetClock) -> None:
    context = ExecutionContext(clock=clock, actor="ann")
    ann = Memory(memory.adapter, model=READER, context=context)
    bob = Memory(memory.adapter, context=ExecutionContext(clock=clock, actor="bob"))
    (seen,) = ann.observe("I live in Oslo.")
    rights = {"read_perm_level": "public", "read_blacklist": ["bob"]}
    update = {"stage": "STO", "op": "Update", "target": {"ids": [seen.episode]}}
    assert ann.execute([{**update, "args": {"set": rights}}]).ok
    assert [worked.fate for worked in ann.work()] == ["read"]
    assert bob.ledger.facts(attribute="city") == []
    eve = Memory(memory.adapter, context=ExecutionContext(clock=clock, actor="eve"))
    assert [fact.value for fact in eve.ledger.facts(attribute="city")] == ["Oslo"]


def test_an_episode_that_was_deleted_meanwhile_is_not_read(memory: Memory) -> None:
    (seen,) = memory.observe(event(1))
    gone = {"stage": "STO", "op": "Delete", "target": {"ids": [seen.episode]}}
    assert memory.execute([gone]).ok
    assert [worked.fate for worked in memory.work()] == ["gone"]
    assert memory.adapter.queue.tasks(dead=False) == []


def test_a_text_of_blanks_is_a_document(memory: Memory) -> None:
    (seen,) = memory.observe("I live in " + " " * 3_900 + "x", extract=True)
    assert seen.reading is not None
    assert seen.reading.nothing == "document"


def test_what_the_policy_denies_is_found_by_no_recall_and_stands_in_no_facet(
    memory: Memory,
) -> None:
    (seen,) = memory.observe("My password is correcthorse.", extract=True)
    (outcome,) = seen.outcomes
    assert (outcome.became, outcome.denied) == ("ignored", True)
    assert "correcthorse" not in str(outcome.as_dict())
    stored = memory.show(seen.episode)
    assert stored is not None
    assert stored.facets["about"] == ["user"]
    for question in ("What is my password?", "correcthorse", "the password"):
        assert "correcthorse" not in memory.recall(question).context


# --- what was said before, and is over -----------------------------------------------------


def told_in_turn(*turns: tuple[str, list[dict[str, str]]]) -> list[tuple[Any, ...]]:
    """The facts that turns of Ann leave which are said a day apart: attribute, value, first and
    last day; the oldest first."""
    clock = SetClock(datetime(2026, 6, 1, 9, tzinfo=UTC))
    context = ExecutionContext(clock=clock)
    with Memory("memory:", context=context, reader=scripted(dict(turns))) as memory:
        for text, _ in turns:
            clock.at += timedelta(days=1)
            memory.observe({"text": text, "speaker": "Ann"}, session="s", extract=True)
        versions = memory.adapter.records(context, clock.at, subject="ann")
        return [
            (fact.attribute, fact.value, fact.begins.day, fact.valid_to and fact.valid_to.day)
            for fact in sorted(versions, key=lambda fact: fact.begins)
            if fact.is_fact and fact.valid_to != fact.valid_from
        ]


BERGEN = ("I live in Bergen.", [me("city", "Bergen")])
GHENT = ("We moved to Ghent.", [me("city", "Ghent")])
NUTS = ("I can't have nuts or soy.", [me("allergy", "nuts"), me("allergy", "soy")])
NO_NUTS = me("allergy", "nuts", kind="retract")


def test_to_say_again_that_something_is_over_ends_nothing_else() -> None:
    gone = ("I don't live in Bergen any more.", [me("city", "Bergen", kind="retract")])
    assert told_in_turn(BERGEN, GHENT, gone) == [
        ("city", "Bergen", 2, 3),
        ("city", "Ghent", 3, None),
    ]
    over = ("I can have nuts now.", [NO_NUTS]), ("As I said, nuts are fine.", [NO_NUTS])
    assert told_in_turn(NUTS, *over) == [("allergy", "nuts", 2, 3), ("allergy", "soy", 2, None)]


def test_of_many_values_another_than_the_one_that_is_named_is_not_ended() -> None:
    prawns = ("I'm not allergic to prawns.", [me("allergy", "prawns", kind="retract")])
    assert told_in_turn(NUTS, prawns) == [("allergy", "nuts", 2, None), ("allergy", "soy", 2, None)]


def test_a_correction_of_what_is_over_leaves_what_holds() -> None:
    wrong = (
        "Before, it was Lille, not Bergen.",
        [me("city", "Lille", kind="correct", old="Bergen")],
    )
    assert told_in_turn(BERGEN, GHENT, wrong) == [
        ("city", "Lille", 2, 3),
        ("city", "Ghent", 3, None),
    ]


def test_of_many_values_none_is_ended_at_random() -> None:
    none = (
        "I have no allergies now.",
        [{"subject": "me", "attribute": "allergy", "kind": "retract"}],
    )
    assert told_in_turn(NUTS, none) == [("allergy", "nuts", 2, None), ("allergy", "soy", 2, None)]
    one = ("I can't have nuts.", [me("allergy", "nuts")])
    assert told_in_turn(one, none) == [("allergy", "nuts", 2, 3)]


def test_to_be_unsure_twice_in_one_turn_is_one_hearing() -> None:
    twice = [me("city", "Oslo", sure="no"), me("city", "OSLO", sure="no")]
    with Memory("memory:", reader=scripted({"Oslo, I think, OSLO.": twice})) as memory:
        (seen,) = memory.observe("Oslo, I think, OSLO.", extract=True)
    assert [outcome.became for outcome in seen.outcomes] == ["pending", "pending"]


def test_what_a_speaker_denies_of_themselves_ends_nothing_of_another() -> None:
    bob = {"subject": "Bob", "attribute": "allergy", "value": "nuts"}
    turns = {
        "Bob is allergic to nuts.": [bob],
        "I'm not allergic to nuts.": [NO_NUTS],
        "Bob has a Volvo.": [{"subject": "Bob", "attribute": "car", "value": "Volvo"}],
        "I have no car now.": [{"subject": "me", "attribute": "car", "kind": "retract"}],
        "Carl has no Fiat.": [
            {"subject": "Carl", "attribute": "car", "value": "Fiat", "kind": "retract"}
        ],
    }
    with Memory("memory:", reader=scripted(turns)) as memory:
        for text in turns:
            memory.observe({"text": text, "speaker": "Ann"}, extract=True)
        assert memory.recall(subject="bob", attribute="allergy").values == ("nuts",)
        assert memory.recall(subject="bob", attribute="car").values == ("Volvo",)


GHENT_PLANNED = ("On 10 June we move to Ghent.", [me("city", "Ghent", when="On 10 June")])


@pytest.mark.parametrize("kind", ["retract", "correct"])
def test_what_is_said_of_somebody_unknown_changes_nothing_of_who_says_it(kind: str) -> None:
    told = {"subject": "Ana", "attribute": "city", "value": "Ulm", "kind": kind}
    kept = ("city", "Bergen", 2, None)
    assert told_in_turn(BERGEN, ("It is not Ulm where Ana lives.", [told])) == [kept]


@pytest.mark.parametrize("more", [{"value": "Ulm"}, {"until": "the 30th"}])
def test_a_correction_where_nothing_holds_any_more_changes_nothing_of_another(
    more: dict[str, str],
) -> None:
    tom = {"subject": "Tom", "attribute": "city", "value": "Kiel"}
    wrong = {**tom, **more, "kind": "correct"}
    turns = {
        "Tom is in Kiel.": [tom],
        "Ana is in Bonn.": [{**tom, "subject": "Ana", "value": "Bonn"}],
        "Tom left.": [tom | {"kind": "retract"}],
        "Sorry, Tom is in Ulm, or in Kiel until the 30th.": [wrong],
    }
    with Memory("memory:", reader=scripted(turns)) as memory:
        for text in turns:
            memory.observe({"text": text, "speaker": "Ann"}, extract=True)
        assert memory.recall(subject="ana", attribute="city").values == ("Bonn",)
        assert memory.recall(subject="tom", attribute="city").values == (wrong["value"],)


def test_a_plan_is_given_up_or_corrected_and_what_holds_stays() -> None:
    scrap = ("Scrap Ghent.", [me("city", "Ghent", kind="retract")])
    assert told_in_turn(BERGEN, GHENT_PLANNED, scrap) == [("city", "Bergen", 2, None)]
    wrong = ("Lille, not Ghent.", [me("city", "Lille", kind="correct", old="Ghent")])
    assert told_in_turn(BERGEN, GHENT_PLANNED, wrong) == [
        ("city", "Bergen", 2, 10), ("city", "Lille", 10, None),
    ]  # fmt: skip


def test_what_was_put_before_a_plan_that_is_given_up_has_no_end() -> None:
    lille = ("On 8 June we move to Lille.", [me("city", "Lille", when="On 8 June")])
    scrap = ("Ghent is off.", [me("city", "Ghent", kind="retract")])
    assert told_in_turn(BERGEN, GHENT_PLANNED, lille, scrap) == [
        ("city", "Bergen", 2, 8), ("city", "Lille", 8, None),
    ]  # fmt: skip


def test_what_was_wrong_does_not_come_back_where_what_is_right_moves_or_is_given_up() -> None:
    wrong = ("Lille, not Ghent.", [me("city", "Lille", kind="correct", old="Ghent")])
    later = ("Lille is on 12 June.", [me("city", "Lille", kind="correct", when="on 12 June")])
    off = ("Lille is off.", [me("city", "Lille", kind="retract")])
    told = [("city", "Bergen", 2, 12), ("city", "Lille", 12, None)]
    assert told_in_turn(BERGEN, GHENT_PLANNED, wrong, later) == told
    assert told_in_turn(BERGEN, GHENT_PLANNED, wrong, off) == [("city", "Bergen", 2, None)]
    assert told_in_turn(BERGEN, GHENT_PLANNED, wrong, later, off) == [("city", "Bergen", 2, None)]


def test_an_end_of_its_own_stays_where_the_plan_after_it_is_given_up() -> None:
    last = ("We leave Bergen on 10 June.",
            [me("city", "Bergen", kind="retract", when="on 10 June")])  # fmt: skip
    scrap = ("Ghent is off.", [me("city", "Ghent", kind="retract")])
    assert told_in_turn(BERGEN, last, GHENT_PLANNED, scrap) == [("city", "Bergen", 2, 10)]


@pytest.mark.parametrize("more", [{"kind": "retract"}, {"kind": "correct", "when": "25 June"}])
def test_a_told_end_stays_where_the_plan_that_cut_it_is_given_up_or_comes_later(
    more: dict[str, str],
) -> None:
    until = ("I'm in Bergen until 20 June.", [me("city", "Bergen", until="until 20 June")])
    wrong = ("Lille, not Ghent.", [me("city", "Lille", kind="correct", old="Ghent")])
    off = ("Ghent, not Lille, on 25 June.", [me("city", "Ghent", **more)])
    assert told_in_turn(until, GHENT_PLANNED, off)[0] == ("city", "Bergen", 2, 20)
    off[1][0]["value"] = "Lille"
    assert told_in_turn(until, GHENT_PLANNED, wrong, off)[0] == ("city", "Bergen", 2, 20)


def test_a_retraction_without_a_value_ends_neither_what_holds_nor_a_plan() -> None:
    off = ("The move is off.", [{"subject": "me", "attribute": "city", "kind": "retract"}])
    assert told_in_turn(BERGEN, GHENT_PLANNED, off) == [
        ("city", "Bergen", 2, 10), ("city", "Ghent", 10, None),
    ]  # fmt: skip
    assert told_in_turn(GHENT_PLANNED, off) == []


def test_a_plan_alone_is_what_a_correction_means() -> None:
    wrong = ("Make that Lille.", [me("city", "Lille", kind="correct")])
    assert told_in_turn(GHENT_PLANNED, wrong) == [("city", "Lille", 10, None)]


def test_a_correction_without_an_old_value_is_of_what_was_told_last() -> None:
    wrong = ("Sorry, Lille.", [me("city", "Lille", kind="correct")])
    assert told_in_turn(BERGEN, GHENT_PLANNED, wrong) == [
        ("city", "Bergen", 2, 10), ("city", "Lille", 10, None),
    ]  # fmt: skip


@pytest.mark.parametrize("until", ["the 13th", "13 June"])
def test_the_corrected_end_is_the_one_nearest_to_what_it_corrects(until: str) -> None:
    away = ("I'm in Ghent until the 9th.", [me("city", "Ghent", until="until the 9th")])
    talk = [(f"Day {n}.", list[dict[str, str]]()) for n in range(35)]
    lille = ("I live in Lille.", [me("city", "Lille")])
    wrong = (f"I was in Ghent until {until}, not the 9th.",
             [me("city", "Ghent", kind="correct", until=f"until {until}")])  # fmt: skip
    assert told_in_turn(away, *talk[:19], lille, *talk[19:], wrong) == [
        ("city", "Ghent", 2, 13), ("city", "Lille", 22, None),
    ]  # fmt: skip


def test_a_plan_goes_by_a_part_of_its_name() -> None:
    plan = ("From 10 June we rent Rosa Street 41.",
            [me("address", "Rosa Street 41", when="From 10 June")])  # fmt: skip
    off = ("Rosa Street is off.", [me("address", "Rosa Street", kind="retract")])
    assert told_in_turn(plan, off) == []


def test_the_corrected_day_of_a_plan_is_one_to_come() -> None:
    plan = ("From 10 June the dose is 20 mg.", [me("dose", "20 mg", when="From 10 June")])
    later = ("The 20 mg are put off to the 28th.",
             [me("dose", "20 mg", kind="correct", when="the 28th")])  # fmt: skip
    assert told_in_turn(plan, later) == [("dose", "20 mg", 28, None)]


def test_a_correction_may_name_another_beginning() -> None:
    wrong = ("Lille, not Ghent, and on 8 June.",
             [me("city", "Lille", kind="correct", old="Ghent", when="on 8 June")])  # fmt: skip
    assert told_in_turn(BERGEN, GHENT_PLANNED, wrong) == [
        ("city", "Bergen", 2, 8), ("city", "Lille", 8, None),
    ]  # fmt: skip


def test_a_correction_with_a_beginning_that_was_another_s_holds_now() -> None:
    wrong = ("Lille, not Ghent, since 2 June.",
             [me("city", "Lille", kind="correct", old="Ghent", when="since 2 June")])  # fmt: skip
    assert told_in_turn(BERGEN, GHENT, wrong) == [
        ("city", "Bergen", 2, 3), ("city", "Lille", 3, None),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("said", "first", "last"),
    [("12 to 18", 12, 18), ("12 to 13", 12, 13), ("5 to 8", 5, 8), ("16 to 20", 16, 20)],
)
@pytest.mark.parametrize("city", ["Lille", "Ghent"])
def test_what_an_absence_interrupts_goes_on_after_its_corrected_days(
    city: str, said: str, first: int, last: int
) -> None:
    away = ("From 10 to 15 June I'm in Ghent.", [me("city", "Ghent", when="From 10 to 15 June")])
    days = f"from {said} June"
    old = {"old": "Ghent"} if city == "Lille" else {}
    wrong = (f"{city}, {days}.", [me("city", city, kind="correct", when=days, **old)])
    assert told_in_turn(BERGEN, away, wrong) == [
        ("city", "Bergen", 2, first), ("city", city, first, last), ("city", "Bergen", last, None),
    ]  # fmt: skip


@pytest.mark.parametrize(("said", "first"), [("12 to 20", 12), ("16 to 20", 10)])
def test_a_correction_ends_no_plan_that_follows(said: str, first: int) -> None:
    lille = ("On 15 June we move to Lille.", [me("city", "Lille", when="On 15 June")])
    days = f"from {said} June"
    wrong = (f"Lyon, not Ghent, {days}.",
             [me("city", "Lyon", kind="correct", old="Ghent", when=days)])  # fmt: skip
    assert told_in_turn(BERGEN, GHENT_PLANNED, lille, wrong) == [
        ("city", "Bergen", 2, first), ("city", "Lyon", first, 15), ("city", "Lille", 15, None),
    ]  # fmt: skip


@pytest.mark.parametrize("kind", ["", "correct"])
@pytest.mark.parametrize("when", ["since 3 June", "on 3 June"])
def test_since_when_something_holds_may_be_told_later(kind: str, when: str) -> None:
    since = (f"To Ghent {when}.", [me("city", "Ghent", kind=kind, when=when)])
    small_talk = ("Nice here.", list[dict[str, str]]())
    assert told_in_turn(small_talk, small_talk, GHENT, since) == [("city", "Ghent", 3, None)]
    until = ("I'm in Bergen until the 4th.", [me("city", "Bergen", until="until the 4th")])
    cut = [("city", "Bergen", 2, 3), ("city", "Ghent", 3, None)]
    for before in (BERGEN, until):
        assert told_in_turn(before, small_talk, small_talk, GHENT, since) == cut


def test_a_time_of_its_own_before_what_holds_is_no_beginning_of_it() -> None:
    once = ("I lived in Ghent in 2015.", [me("city", "Ghent", when="in 2015")])
    assert len(told_in_turn(GHENT, once)) == 2
    lille = ("I live in Lille.", [me("city", "Lille")])
    again = ("I am in Ghent again.", [me("city", "Ghent")])
    since = ("In Ghent since May.", [me("city", "Ghent", when="since May")])
    assert told_in_turn(GHENT, lille, again, since) == [
        ("city", "Ghent", 1, 3), ("city", "Lille", 3, 4), ("city", "Ghent", 4, None),
    ]  # fmt: skip


def test_what_held_before_all_is_corrected_in_its_beginning() -> None:
    bergen = ("I lived in Bergen until 1 May.", [me("city", "Bergen", until="1 May")])
    oslo = ("Oslo, not Bergen.", [me("city", "Oslo", kind="correct", old="Bergen")])
    since = ("Oslo from 4 March.", [me("city", "Oslo", kind="correct", when="from 4 March")])
    rome = ("Rome, not Oslo, from 4 March.",
            [me("city", "Rome", kind="correct", old="Oslo", when="from 4 March")])  # fmt: skip
    assert told_in_turn(bergen, oslo, since) == [("city", "Oslo", 4, 1)]
    assert told_in_turn(bergen, oslo, rome) == [("city", "Rome", 4, 1)]


def test_a_correction_may_be_a_part_of_what_was_wrong() -> None:
    full = ("My name is Lena Maria.", [me("name", "Lena Maria")])
    right = ("Sorry, just Lena.", [me("name", "Lena", kind="correct")])
    assert told_in_turn(full, right) == [("name", "Lena", 2, None)]


def test_a_sure_correction_of_when_lets_what_waits_count() -> None:
    maybe = ("I may move to Ghent.", [me("city", "Ghent", sure="no")])
    when = ("Ghent it is, on 10 June.", [me("city", "Ghent", kind="correct", when="on 10 June")])
    assert told_in_turn(BERGEN, maybe, when) == [
        ("city", "Bergen", 2, 10), ("city", "Ghent", 10, None),
    ]  # fmt: skip


def test_a_corrected_beginning_of_what_is_over_leaves_what_holds() -> None:
    lille = ("We moved to Lille.", [me("city", "Lille")])
    earlier = ("We came to Ghent on 3 June already.",
               [me("city", "Ghent", kind="correct", when="on 3 June")])  # fmt: skip
    told = [("city", "Ghent", 3, 5), ("city", "Lille", 5, None)]
    small_talk = ("Nice here.", list[dict[str, str]]())
    assert told_in_turn(BERGEN, small_talk, GHENT, lille, earlier)[-2:] == told


@pytest.mark.parametrize("kind", ["", "correct"])
def test_another_end_of_what_is_over_leaves_the_others(kind: str) -> None:
    flat = ("Tom and Wei are my flatmates.", [me("flatmate", "Tom"), me("flatmate", "Wei")])
    gone = ("Tom left.", [me("flatmate", "Tom", kind="retract")])
    later = ("Tom stays until the 20th.", [me("flatmate", "Tom", kind=kind, until="the 20th")])
    assert told_in_turn(flat, gone, later) == [
        ("flatmate", "Tom", 2, 20), ("flatmate", "Wei", 2, None),
    ]  # fmt: skip


def test_the_day_on_which_something_ended_may_be_told_later() -> None:
    gone = ("I don't live in Bergen any more.", [me("city", "Bergen", kind="retract")])
    earlier = ("I left on 3 June, Bergen was too wet.",
               [me("city", "Bergen", kind="retract", when="on 3 June")])  # fmt: skip
    small_talk = ("Nice here.", list[dict[str, str]]())
    assert told_in_turn(BERGEN, small_talk, gone, earlier) == [("city", "Bergen", 2, 3)]
    assert told_in_turn(BERGEN, small_talk, GHENT, earlier) == [
        ("city", "Bergen", 2, 3), ("city", "Ghent", 4, None),
    ]  # fmt: skip


def test_a_plan_is_given_up_although_that_is_read_after_it_began() -> None:
    off = "Ghent is off."
    reader = scripted({**dict([BERGEN, GHENT_PLANNED]), off: [me("city", "Ghent", kind="retract")]})
    clock = SetClock(datetime(2026, 6, 1, 9, tzinfo=UTC))
    with Memory("memory:", reader=reader, context=ExecutionContext(clock=clock)) as memory:
        memory.observe([BERGEN[0], GHENT_PLANNED[0]], extract=True)
        clock.at += timedelta(days=1)
        memory.observe(off, extract=False)
        clock.at += timedelta(days=20)
        assert [worked.fate for worked in memory.work()] == ["read"]
        assert memory.recall(subject="user", attribute="city").values == ("Bergen",)


def test_an_end_goes_by_a_part_of_the_value() -> None:
    weiss = ("My doctor is Dr Weiss.", [me("doctor", "Dr Weiss")])
    ends = ("Weiss retires on 20 June.", [me("doctor", "Weiss", until="20 June")])
    assert told_in_turn(weiss, ends) == [("doctor", "Dr Weiss", 2, 20)]


def test_a_change_from_what_is_known_to_be_over_files_it_once() -> None:
    gone = ("I left Bergen.", [me("city", "Bergen", kind="retract")])
    ghent = ("I moved from Bergen to Ghent today.",
             [me("city", "Ghent", old="Bergen", when="today")])  # fmt: skip
    assert told_in_turn(BERGEN, gone, ghent) == [
        ("city", "Bergen", 2, 3), ("city", "Ghent", 4, None),
    ]  # fmt: skip


def test_a_correction_ends_when_what_was_wrong_would_have_ended() -> None:
    lot = ("Lot A until 30 June.", [me("parking", "Lot A", until="until 30 June")])
    wrong = ("Lot B, not A.", [me("parking", "Lot B", kind="correct", old="Lot A")])
    assert told_in_turn(lot, wrong) == [("parking", "Lot B", 2, 30)]


def test_what_ends_later_holds_from_when_it_is_told_and_what_is_over_held_before() -> None:
    shop = ("I work at Halden.", [me("employer", "Halden")])
    fill_in = ("I'm at the bakery until 30 June.",
               [me("employer", "the bakery", until="until 30 June")])  # fmt: skip
    assert told_in_turn(shop, fill_in) == [
        ("employer", "Halden", 2, 3), ("employer", "the bakery", 3, 30),
    ]  # fmt: skip
    over = ("I was at the bakery until 2019.", [me("employer", "the bakery", until="until 2019")])
    assert told_in_turn(shop, over)[0][:3] == ("employer", "the bakery", 1)


@pytest.mark.parametrize(
    ("when", "first"), [("in June", 3), ("this month", 3), ("this year", 3), ("yesterday", 2)]
)
def test_a_change_in_a_time_in_which_the_old_value_was_told_comes_after_it(
    when: str, first: int
) -> None:
    ghent = (f"I moved to Ghent {when}.", [me("city", "Ghent", when=when)])
    after = [("city", "Bergen", 2, first), ("city", "Ghent", first, None)]
    assert told_in_turn(BERGEN, ghent)[-2:] == after
    facts = [me("city", "Ghent", when=when, old="Bergen")]
    named = (f"I moved from Bergen to Ghent {when}.", facts)
    assert told_in_turn(BERGEN, named)[-2:] == after


def test_what_was_told_within_the_time_of_its_end_was_so_until_then() -> None:
    gone = ("I left Bergen in June.", [me("city", "Bergen", kind="retract", when="in June")])
    assert told_in_turn(BERGEN, gone) == [("city", "Bergen", 2, 3)]


def test_a_change_before_what_was_told_is_history() -> None:
    lille = ("I moved to Lille in May.", [me("city", "Lille", when="in May")])
    assert told_in_turn(BERGEN, lille) == [("city", "Lille", 1, 2), ("city", "Bergen", 2, None)]


@contextmanager
def read_late(said: str, fact: dict[str, str]) -> Iterator[tuple[Memory, datetime]]:
    """A memory in which a turn is read only after ``BERGEN``, said later; when that was said."""
    clock = SetClock(NOW)
    reader = scripted({said: [fact], BERGEN[0]: BERGEN[1]})
    with Memory("memory:", reader=reader, context=ExecutionContext(clock=clock)) as memory:
        memory.observe(said, extract=False)
        clock.at += timedelta(days=5)
        memory.observe(BERGEN[0], extract=True)
        memory.work()
        yield memory, clock.at


def test_a_beginning_that_is_read_late_moves_nothing_that_was_told_after_it() -> None:
    since = me("city", "Bergen", when="since May")
    with read_late("I live in Bergen since May.", since) as (memory, told):
        [held] = memory.ledger.facts(subject="user", attribute="city")
        assert held.valid_from == told


def test_a_change_that_is_read_late_leaves_what_was_told_after_it() -> None:
    moved = me("city", "Oslo", when="in June")
    with read_late("I moved to Oslo in June.", moved) as (memory, _):
        assert memory.recall(subject="user", attribute="city").values == ("Bergen",)


def test_an_undo_takes_back_what_was_said_and_never_the_marks_of_its_reader() -> None:
    def read(request: Request) -> dict[str, Any]:
        said = request.messages[-1].content
        facts = [] if "hunter2" not in said else [
            {"subject": "me", "attribute": "password", "value": "hunter2"}
        ]  # fmt: skip
        return {"facts": facts}

    with Memory("memory:", reader=FunctionProvider(read), embedder="none") as memory:
        memory.observe("My password is hunter2.", extract=True)
        (seen,) = memory.view().recent(5)
        assert seen.facets["withheld"] is True
        mark, kept = memory.log()
        assert not memory.undo(mark.trace_id).ok
        tag = [{"stage": "STO", "op": "Label", "target": {"ids": [seen.id]},
                "args": {"facets": {"mood": "calm"}, "mode": "add"}}]  # fmt: skip
        assert memory.execute(tag).ok and memory.undo_last().ok
        (held,) = memory.view().recent(5)
        assert "mood" not in held.facets and held.facets["withheld"] is True
        assert not memory.recall("What is my password?").lines
        assert memory.undo_last().ok and not memory.view().recent(5)
        assert kept.trace_id in {row.undoes for row in memory.log()}
