"""Reconciliation: what the ledger and the policy make of candidates, one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from text2mem import ExecutionContext, Memory
from text2mem.clock import SetClock
from text2mem.ir.registry import Registry
from text2mem.ledger.candidate import Candidate, Outcome
from text2mem.ledger.episode import Episode, Message
from text2mem.ledger.writing import commit, store
from text2mem.program import Program

START = datetime(2026, 6, 1, 9, tzinfo=UTC)


class Desk:
    """A store, and turns that are told it an hour apart, with what is read out of them."""

    def __init__(self, policy: Mapping[str, Any] | None = None) -> None:
        self.clock = SetClock(START)
        context = ExecutionContext(clock=self.clock, confirmed=True)
        self.memory = Memory("memory:", context=context, policy=policy or {"floor": 0.5})

    def hear(self, role: Any = "user") -> Episode:
        self.clock.at += timedelta(hours=1)
        message = Message(text="so it is", role=role, speaker="Ann")
        [episode], _ = store(self.memory.ledger, [message])
        return episode

    def told(self, *candidates: Mapping[str, Any], role: Any = "user") -> tuple[Outcome, ...]:
        said = [Candidate(**{"subject": "ann", **each}) for each in candidates]
        return commit(self.memory.ledger, self.hear(role), said)

    def one(self, role: Any = "user", **candidate: Any) -> Outcome:
        (outcome,) = self.told(candidate, role=role)
        return outcome

    def held(self, attribute: str) -> list[Any]:
        facts = self.memory.ledger.facts(subject="ann", attribute=attribute)
        return sorted(fact.value for fact in facts)

    def waiting(self) -> list[Any]:
        return [record.value for record in self.memory.pending()]


@pytest.fixture
def desk() -> Iterator[Desk]:
    desk = Desk()
    yield desk
    desk.memory.close()


def test_a_turn_that_is_read_late_leaves_what_began_after_it(desk: Desk) -> None:
    desk.one(attribute="car", value="Fiat")
    late = desk.hear()
    desk.one(attribute="car", value="Opel")
    over = Candidate(subject="ann", attribute="car", value=None, kind="retract")
    right = Candidate(subject="ann", attribute="car", value="Fiat 500", kind="correct")
    (outcome,) = commit(desk.memory.ledger, late, [right])
    assert (outcome.became, desk.held("car")) == ("correct", ["Opel"])
    (outcome,) = commit(desk.memory.ledger, late, [over])
    assert (outcome.became, desk.held("car")) == ("retract", ["Opel"])
    versions = desk.memory.adapter.records(desk.memory.context, desk.clock.at, subject="ann")
    ends = {record.value: record.valid_to for record in versions}
    assert (ends["Fiat 500"], ends["Opel"]) == (late.at, None)


def test_of_turns_of_one_instant_the_later_one_holds_in_whatever_order_they_are_read(
    desk: Desk,
) -> None:
    said = [Message(text=text, speaker="Ann") for text in ("Bergen", "Oslo")]
    (first, second), _ = store(desk.memory.ledger, said)
    for episode in (second, first):
        city = Candidate(subject="ann", attribute="city", value=episode.text)
        (outcome,) = commit(desk.memory.ledger, episode, [city])
    assert (outcome.became, desk.held("city")) == ("ignored", ["Oslo"])


def test_what_was_confirmed_is_not_asked_for_again() -> None:
    desk = Desk({"confirm": ["salary"]})
    first = desk.one(attribute="salary", value="5000")
    assert desk.memory.approve(first.ids[0]).ok
    assert desk.one(attribute="salary", value="5000").became == "repeat"
    earlier = desk.clock.at - timedelta(days=9)
    assert desk.one(attribute="salary", value="5000", valid_from=earlier).became == "pending"


def test_however_much_waits_each_of_it_is_known_and_can_be_approved() -> None:
    desk = Desk({"confirm": ["salary"]})
    said = [{"subject": f"p{n}", "attribute": "salary", "value": "5"} for n in range(300)]
    first, *_ = desk.told(*said)
    assert desk.told(said[0])[0].reason.startswith("it waits already")
    assert desk.memory.approve(first.ids[0]).ok


def test_a_yes_is_to_ones_own_words_heard_before_and_to_one_value() -> None:
    desk = Desk({"confirm": ["salary"]})
    early = desk.hear()
    desk.one(attribute="salary", value="5000")
    yes = Candidate(subject="ann", attribute="salary", value=None, kind="confirm")
    assert [o.became for o in commit(desk.memory.ledger, early, [yes])] == ["ignored"]
    message = Message(text="Yes.", speaker="Bob")
    [bob], _ = store(desk.memory.ledger, [message])
    assert [o.became for o in commit(desk.memory.ledger, bob, [yes])] == ["rejected"]
    desk.one(attribute="salary", value="6000")
    assert desk.one(attribute="salary", value=None, kind="confirm").became == "rejected"
    assert desk.one(attribute="salary", value="6000", kind="confirm").became == "new"
    assert desk.waiting() == ["5000"]


def test_what_a_policy_says_of_an_old_name_counts_under_the_new_one() -> None:
    desk = Desk({"recurrence": {"sport": 2}, "retention": {"sport": "short"}})
    rename = {"op": "rename", "from": "sport", "to": "exercise"}
    assert desk.memory.evolve({"version": 2, "steps": [rename]}).ok
    first = desk.one(attribute="sport", value="rowing")
    assert (first.became, first.reason) == ("pending", "heard in 1 of 2 episodes")
    assert desk.one(attribute="sport", value="rowing").became == "new"
    (fact,) = desk.memory.ledger.facts(subject="ann", attribute="exercise")
    assert fact.retention_policy == "short"
    desk.memory.close()


def test_what_is_denied_under_its_old_name_is_denied_under_the_new_one() -> None:
    desk = Desk({"deny": ["pin"]})
    rename = {"op": "rename", "from": "pin", "to": "door_code"}
    assert desk.memory.evolve({"version": 2, "steps": [rename]}).ok
    assert desk.one(attribute="pin", value="1234").became == "ignored"
    assert desk.held("door_code") == []


@pytest.mark.parametrize("floor", [0, 0.00012, 0.63333])
def test_what_has_to_wait_never_counts_whatever_the_registrys_floor(floor: float) -> None:
    desk = Desk({"confirm": ["salary"], "floor": 0.5})
    document = {**desk.memory.registry.to_document(), "version": 2, "confidence_floor": floor}
    desk.memory.registry = Registry.load(document)
    became = desk.one(attribute="salary", value="5000").became
    assert became == ("pending" if floor else "rejected")
    assert desk.held("salary") == []
    assert desk.one(attribute="city", value="Oslo", confidence=0.55).became == "new"


def test_a_statement_without_a_value_is_rejected(desk: Desk) -> None:
    assert desk.one(attribute="city", value=None).became == "rejected"


def test_new_repeated_superseded_late(desk: Desk) -> None:
    assert desk.one(attribute="city", value="Oslo").became == "new"
    again = desk.one(attribute="city", value="Oslo")
    assert again.became == "repeat"
    assert len(desk.memory.ledger.find(again.ids)[again.ids[0]].sources) == 2
    assert desk.one(attribute="city", value="Bergen").became == "supersede"
    ago = START - timedelta(days=100)
    assert desk.one(attribute="city", value="Molde", valid_from=ago).became == "late"
    only_an_end = desk.one(attribute="city", value="Narvik", valid_to=ago)
    assert only_an_end.became == "late"
    assert desk.held("city") == ["Bergen"]
    facts = desk.memory.ledger.facts(subject="ann", attribute="city", as_of=ago)
    assert [fact.value for fact in facts] == ["Molde"]


def test_every_outcome_is_a_program_that_can_be_undone(desk: Desk) -> None:
    desk.one(attribute="city", value="Oslo")
    moved = desk.one(attribute="city", value="Bergen")
    assert [step["op"] for step in moved.program] == ["Encode"]
    assert moved.trace_id is not None
    assert desk.memory.undo(moved.trace_id).ok
    assert desk.held("city") == ["Oslo"]


def test_a_correction_stands_in_the_place_of_what_was_wrong(desk: Desk) -> None:
    first = desk.one(attribute="delivery_day", value="Monday")
    right = desk.one(attribute="delivery_day", value="Tuesday", kind="correct")
    assert right.became == "correct"
    found = desk.memory.ledger.find([*first.ids, *right.ids])
    assert found[right.ids[0]].valid_from == found[first.ids[0]].valid_from
    assert desk.held("delivery_day") == ["Tuesday"]


def test_of_many_values_the_wrong_one_alone_is_corrected(desk: Desk) -> None:
    desk.told({"attribute": "languages", "value": "Dutch"},
              {"attribute": "languages", "value": "Danish"})  # fmt: skip
    right = desk.one(attribute="languages", value="German", kind="correct", replaces="danish")
    assert right.became == "correct"
    assert desk.held("languages") == ["Dutch", "German"]


@pytest.mark.parametrize("days", [9, 2])
def test_a_beginning_is_corrected_and_what_held_before_ends_there(desk: Desk, days: int) -> None:
    def city(day: float) -> list[Any]:
        at = START + timedelta(days=day)
        return [f.value for f in desk.memory.ledger.facts(subject="ann", as_of=at)]

    desk.one(attribute="city", value="Ghent")
    desk.one(attribute="city", value="Leeds", valid_from=START + timedelta(days=5))
    begins = START + timedelta(days=days)
    right = desk.one(attribute="city", value="Leeds", kind="correct", valid_from=begins)
    assert right.became == "correct"
    assert (city(days - 0.5), city(days + 0.5)) == (["Ghent"], ["Leeds"])


def test_a_correction_of_nothing_is_a_statement(desk: Desk) -> None:
    assert desk.one(attribute="city", value="Oslo", kind="correct").became == "new"


def test_what_is_over_ends_and_what_never_was_so_never_held(desk: Desk) -> None:
    desk.told({"attribute": "allergies", "value": "nuts"},
              {"attribute": "allergies", "value": "latex"})  # fmt: skip
    vague = desk.one(attribute="allergies", value=None, kind="retract")
    assert (vague.became, vague.ids) == ("rejected", ())
    assert "latex" in vague.reason
    gone = desk.one(attribute="allergies", value="Nuts", kind="retract")
    assert gone.became == "retract"
    before = desk.memory.ledger.facts(
        subject="ann", attribute="allergies", as_of=START + timedelta(hours=2)
    )
    assert sorted(fact.value for fact in before) == ["latex", "nuts"]
    desk.one(attribute="allergies", value="latex", kind="retract", never=True)
    before = desk.memory.ledger.facts(
        subject="ann", attribute="allergies", as_of=START + timedelta(hours=2)
    )
    assert [fact.value for fact in before] == ["nuts"]
    assert desk.held("allergies") == []
    assert desk.one(attribute="allergies", value="nuts", kind="retract").became == "ignored"


def test_what_was_to_begin_is_taken_back(desk: Desk) -> None:
    begins = START + timedelta(days=30)
    desk.one(attribute="city", value="Ghent", valid_from=begins)
    off = desk.one(attribute="city", value="Ghent", kind="retract", valid_to=begins)
    assert off.became == "retract"
    facts = desk.memory.ledger.facts(subject="ann", as_of=begins + timedelta(days=1))
    assert facts == []


def test_what_is_interrupted_for_a_time_goes_on_after_it(desk: Desk) -> None:
    desk.one(attribute="manager", value="Eva")
    first, last = START + timedelta(days=5), START + timedelta(days=16)
    told = {"attribute": "manager", "value": "Samir", "valid_from": first, "valid_to": last}
    assert [desk.one(**told).became for _ in range(2)] == ["supersede", "repeat"]
    held = {}
    for day in (2, 8, 20):
        desk.clock.at = START + timedelta(days=day)
        held[day] = desk.held("manager")
    assert held == {2: ["Eva"], 8: ["Samir"], 20: ["Eva"]}
    desk.one(attribute="manager", value="Kai", valid_from=START + timedelta(days=30))
    desk.clock.at = START + timedelta(days=40)
    assert desk.held("manager") == ["Kai"]


@pytest.mark.parametrize("days", [12, 19])
@pytest.mark.parametrize("kind", ["state", "correct", "retract"])
def test_what_is_resumed_moves_with_the_end_of_what_interrupts_it(
    desk: Desk, kind: Any, days: int
) -> None:
    desk.one(attribute="manager", value="Eva")
    first = START + timedelta(days=5)
    told = {"attribute": "manager", "value": "Samir", "valid_from": first}
    desk.one(**told, valid_to=START + timedelta(days=16))
    if kind == "retract":
        del told["valid_from"]
        desk.clock.at = first + timedelta(days=1)
    ends = START + timedelta(days=days)
    assert desk.one(**told, valid_to=ends, kind=kind).became == "retract"
    hour, held = timedelta(hours=1), []
    for at in (ends - hour, ends):
        desk.clock.at = at
        held.append(desk.held("manager"))
    assert held == [["Samir"], ["Eva"]]


def test_what_is_resumed_is_of_whoever_told_it_and_is_forgotten_with_that() -> None:
    for forgotten, left in ((["1", "3"], ["Samir"]), (["4"], ["Eva", "Eva"])):
        desk = Desk()
        desk.one(attribute="manager", value="Eva", type="role")
        desk.one(attribute="manager", value="Eva")
        assert desk.memory.execute(
            {"stage": "STO", "op": "Update", "target": {"ids": ["2"]},
             "args": {"set": {"read_perm_level": "team"}}}
        ).ok  # fmt: skip
        first, last = START + timedelta(days=5), START + timedelta(days=16)
        outcome = desk.one(attribute="manager", value="Samir", valid_from=first, valid_to=last)
        [eva] = desk.memory.ledger.facts(subject="ann", attribute="manager", as_of=last)
        assert eva.id in outcome.ids
        assert (eva.type, eva.read_perm_level) == ("role", "team")
        assert [entry["episode"] for entry in eva.sources] == ["1", "3"]
        for episode in forgotten:
            assert desk.memory.forget(episode=episode).ok
        facts = desk.memory.adapter.records(desk.memory.context, desk.clock.at, subject="ann")
        assert [fact.value for fact in facts] == left
        desk.memory.close()


def test_what_is_interrupted_for_a_time_goes_on_to_its_own_end(desk: Desk) -> None:
    desk.one(attribute="manager", value="Eva", valid_from=START - timedelta(days=90))
    desk.one(attribute="manager", value="Kai")
    ends = {"valid_from": START - timedelta(days=30), "valid_to": START - timedelta(days=20)}
    assert desk.one(attribute="manager", value="Samir", **ends).became == "late"

    def at(days: int) -> list[Any]:
        then = START + timedelta(days=days)
        return [f.value for f in desk.memory.ledger.facts(subject="ann", as_of=then)]

    assert [at(days) for days in (-40, -25, -10, 1)] == [["Eva"], ["Samir"], ["Eva"], ["Kai"]]


def test_an_end_that_is_told_later_ends_what_holds_or_is_to_come(desk: Desk) -> None:
    end, begins = START + timedelta(days=40), START + timedelta(days=30)
    desk.one(attribute="city", value="Ghent")
    desk.one(attribute="employer", value="Nordwind", valid_from=begins)
    desk.told({"attribute": "allergies", "value": "nuts"},
              {"attribute": "allergies", "value": "latex"})  # fmt: skip
    for attribute, value in (("city", "ghent"), ("employer", "Nordwind"), ("allergies", "nuts")):
        assert desk.one(attribute=attribute, value=value, valid_to=end).became == "retract"
    longer = end + timedelta(days=5)
    assert desk.one(attribute="city", value="Ghent", valid_to=longer).became == "retract"

    def at(instant: datetime) -> list[Any]:
        return sorted(f.value for f in desk.memory.ledger.facts(subject="ann", as_of=instant))

    assert at(end - timedelta(days=1)) == ["Ghent", "Nordwind", "latex", "nuts"]
    assert at(end + timedelta(days=1)) == ["Ghent", "latex"]
    assert at(longer) == ["latex"]


def test_an_end_that_is_not_sure_or_not_the_users_to_tell_ends_nothing(desk: Desk) -> None:
    end = START + timedelta(days=40)
    desk.one(attribute="city", value="Ghent")
    desk.one(attribute="city", value="Ghent", valid_to=end, confidence=0.45)
    desk.one(attribute="city", value="Ghent", valid_to=end, role="tool")
    [held] = desk.memory.ledger.facts(subject="ann", attribute="city", as_of=end)
    assert held.valid_to is None


def test_since_when_something_holds_may_be_told_later_if_it_is_the_speaker_s_to_tell(
    desk: Desk,
) -> None:
    since = START - timedelta(days=9)
    desk.one(attribute="city", value="Ghent")
    assert desk.one(attribute="city", value="Ghent", valid_from=since, role="tool").became == "late"
    for value in ("nuts", "soy"):
        desk.one(attribute="allergies", value=value)
    doubted = {"attribute": "allergies", "value": "soy", "confidence": 0.45}
    assert desk.one(**doubted, valid_from=since).became == "pending"
    assert desk.one(attribute="allergies", value="nuts", valid_from=since).became == "late"
    facts = desk.memory.ledger.facts(subject="ann", as_of=since)
    assert {fact.value: fact.valid_to is None for fact in facts} == {"Ghent": False, "nuts": True}


def test_a_report_that_tells_an_end_leaves_what_is_over_over_and_ends_what_was_reported(
    desk: Desk,
) -> None:
    end = START - timedelta(days=1)
    desk.one(attribute="city", value="Ghent", valid_from=START - timedelta(days=9))
    desk.one(attribute="city", value="Ghent", kind="retract", valid_to=START)
    desk.one(attribute="employer", value="Nordwind", valid_from=START + timedelta(days=9))
    for attribute, value in (("city", "Ghent"), ("employer", "Nordwind")):
        until = end if attribute == "city" else START + timedelta(days=20)
        heard = desk.one(attribute=attribute, value=value, valid_to=until, role="tool")
        assert heard.became == "repeat"
        assert desk.held(attribute) == []
    desk.one(attribute="school", value="Nord", role="tool")
    desk.one(attribute="school", value="Nord", valid_to=START + timedelta(hours=9), role="tool")
    [held] = desk.memory.ledger.facts(subject="ann", attribute="school")
    assert held.valid_to == START + timedelta(hours=9)


def test_what_the_policy_denies_leaves_no_trace() -> None:
    desk = Desk({"deny": ["*_code"]})
    outcome = desk.one(attribute="door_code", value="4711")
    assert (outcome.became, outcome.program) == ("ignored", ())
    assert all("4711" not in entry.text for entry in desk.memory.ledger.find(["1", "2"]).values())


def changed(desk: Desk) -> Outcome:
    """A desk on which a value of an attribute with several is to give way to another one."""
    assert desk.memory.execute(encoded("Dutch", "languages")).ok
    change = {"attribute": "languages", "value": "Danish", "replaces": "dutch"}
    return desk.one(**change)


def test_a_change_of_one_among_several_values_ends_the_old_one(desk: Desk) -> None:
    assert (changed(desk).became, desk.held("languages")) == ("new", ["Danish"])
    again = desk.one(attribute="languages", value="Danish", replaces="Danish")
    assert (again.became, desk.held("languages")) == ("repeat", ["Danish"])


@pytest.mark.parametrize(
    "policy", [{"confirm": ["languages"]}, {"floor": 0.95}, {"recurrence": {"languages": 2}}]
)
def test_a_change_that_waits_ends_the_old_value_once_it_counts(policy: Any) -> None:
    for answer, held in (("yes", ["Danish"]), ("no", ["Dutch"]), ("again", ["Danish"])):
        desk = Desk(policy)
        waits = changed(desk)
        assert (waits.became, desk.held("languages")) == ("pending", ["Dutch"])
        assert desk.waiting() == ["Danish"]
        if answer == "yes":
            assert desk.memory.approve(waits.ids[0]).ok
        elif answer == "no":
            desk.one(attribute="languages", value=None, kind="reject")
        else:
            kind = "confirm" if "confirm" in policy else "state"
            desk.one(attribute="languages", value="Danish", kind=kind)
        assert (desk.held("languages"), desk.waiting()) == (held, [])
        desk.memory.close()


def test_a_change_that_waits_ends_nothing_that_has_changed_since() -> None:
    desk = Desk({"confirm": ["languages"]})
    waits = changed(desk)
    ended = START + timedelta(minutes=30)
    over = {"target": {"ids": ["1"]}, "args": {"set": {"valid_to": ended.isoformat()}}}
    assert desk.memory.execute({"stage": "STO", "op": "Update", **over}).ok
    assert desk.memory.approve(waits.ids[0]).ok
    assert desk.memory.ledger.find(["1"])["1"].valid_to == ended
    desk.memory.close()


def test_a_change_that_waits_ends_what_an_evolution_has_moved() -> None:
    desk = Desk({"confirm": ["languages", "tongues", "speaks"]})
    changed(desk)
    for version, (old, new) in enumerate([("languages", "tongues"), ("tongues", "speaks")], 2):
        step = {"op": "rename", "from": old, "to": new}
        assert desk.memory.evolve({"version": version, "steps": [step]}).error is None
    [waits] = desk.memory.pending()
    assert desk.memory.approve(waits.id).ok
    assert desk.held("speaks") == ["Danish"]
    desk.memory.close()


def test_an_approved_value_for_a_time_lets_what_it_interrupts_go_on_after_it() -> None:
    desk = Desk({"recurrence": {"manager": 2}})
    desk.one(attribute="manager", value="Eva")
    desk.one(attribute="manager", value="Eva")
    first, last = START + timedelta(days=5), START + timedelta(days=16)
    waits = desk.one(attribute="manager", value="Samir", valid_from=first, valid_to=last)
    assert desk.memory.approve(waits.ids[0]).ok
    facts = [desk.memory.ledger.facts(subject="ann", as_of=at) for at in (first, last)]
    assert [[fact.value for fact in at] for at in facts] == [["Samir"], ["Eva"]]
    desk.memory.close()


@pytest.mark.parametrize("confidence", [0.9, 0.45])
def test_what_names_only_its_end_is_followed_by_nothing_whether_it_waited_or_not(
    desk: Desk, confidence: float
) -> None:
    until = START + timedelta(days=20)
    desk.one(attribute="city", value="Ghent")
    for _ in range(2):
        desk.one(attribute="city", value="Lille", valid_to=until, confidence=confidence)
    assert desk.held("city") == ["Lille"]
    assert desk.memory.ledger.facts(subject="ann", attribute="city", as_of=until) == []


@pytest.mark.parametrize("given_up", [("Lille", "Ghent"), ("Ghent", "Lille")])
@pytest.mark.parametrize("until", [None, START + timedelta(days=30)])
@pytest.mark.parametrize("moved", [{}, {"Ghent": 22}, {"Lille": 5, "Ghent": 25}])
def test_what_holds_goes_on_to_its_own_end_where_all_plans_after_it_are_given_up(
    desk: Desk, until: datetime | None, given_up: tuple[str, str], moved: Mapping[str, int]
) -> None:
    desk.one(attribute="city", value="Bergen", valid_to=until)
    desk.one(attribute="city", value="Ghent", valid_from=START + timedelta(days=20))
    desk.one(attribute="city", value="Lille", valid_from=START + timedelta(days=10))
    for city, day in moved.items():
        begins = START + timedelta(days=day)
        desk.one(attribute="city", value=city, kind="correct", valid_from=begins)
    for city in given_up:
        desk.one(attribute="city", value=city, kind="retract")
    [bergen] = desk.memory.ledger.facts(subject="ann", attribute="city")
    assert (bergen.value, bergen.valid_to) == ("Bergen", until)


@pytest.mark.parametrize("begins", [START + timedelta(days=10), START + timedelta(days=20)])
def test_an_end_told_with_the_plan_that_follows_stays_where_that_is_given_up(
    desk: Desk, begins: datetime
) -> None:
    until = START + timedelta(days=20)
    desk.told(
        {"attribute": "city", "value": "Bergen", "valid_to": until},
        {"attribute": "city", "value": "Ghent", "valid_from": begins},
    )
    desk.one(attribute="city", value="Ghent", kind="retract")
    [bergen] = desk.memory.ledger.facts(subject="ann", attribute="city")
    assert (bergen.value, bergen.valid_to) == ("Bergen", until)


def test_what_a_doubted_report_tells_of_the_time_before_waits(desk: Desk) -> None:
    desk.one(attribute="city", value="Bergen")
    first, last = START - timedelta(days=90), START + timedelta(days=20)
    report: Mapping[str, Any] = {"value": "Bergen", "valid_to": last, "confidence": 0.3}
    assert desk.one("tool", attribute="city", **report).became == "repeat"
    told = desk.one("tool", attribute="city", valid_from=first, **report)
    assert (told.became, desk.waiting()) == ("pending", ["Bergen"])


def test_a_value_for_a_time_from_now_on_that_waited_lets_what_it_interrupts_go_on(
    desk: Desk,
) -> None:
    desk.one(attribute="city", value="Bergen")
    turn, until = desk.hear(), START + timedelta(days=20)
    ghent = Candidate(
        subject="ann", attribute="city", value="Ghent", valid_from=turn.at, valid_to=until,
        confidence=0.3,
    )  # fmt: skip
    [waits] = commit(desk.memory.ledger, turn, [ghent])
    assert desk.memory.approve(waits.ids[0]).ok
    [after] = desk.memory.ledger.facts(subject="ann", attribute="city", as_of=until)
    assert after.value == "Bergen"


def test_a_doubted_change_to_what_holds_already_ends_nothing(desk: Desk) -> None:
    desk.told({"attribute": "languages", "value": "Dutch"},
              {"attribute": "languages", "value": "Danish"})  # fmt: skip
    desk.one(attribute="languages", value="Danish", replaces="Dutch", confidence=0.45)
    assert desk.held("languages") == ["Danish", "Dutch"]


def test_a_change_of_what_waits_itself_counts_once_it_is_heard_again() -> None:
    desk = Desk({"recurrence": {"languages": 2}})
    desk.one(attribute="languages", value="Dutch")
    change = {"attribute": "languages", "value": "Danish", "replaces": "Dutch"}
    assert [desk.one(**change).became for _ in range(2)] == ["pending", "new"]
    assert (desk.held("languages"), desk.waiting()) == (["Danish"], [])
    desk.memory.close()


def test_a_change_before_the_old_value_was_told_ends_it_all_the_same(desk: Desk) -> None:
    first = desk.one(attribute="city", value="Bergen")
    moved = START - timedelta(days=90)
    desk.one(attribute="city", value="Oslo", valid_from=moved, replaces="Bergen")
    assert desk.held("city") == ["Oslo"]
    old = desk.memory.ledger.find(first.ids)[first.ids[0]]
    assert old.valid_to == old.valid_from


def test_what_waits_is_corrected_from_its_beginning_on_and_by_its_own_evidence(desk: Desk) -> None:
    first = desk.one(attribute="port", value=8080, confidence=0.45)
    begins = desk.memory.pending()[0].valid_from
    right = desk.one(attribute="port", value=9090, kind="correct", replaces=8080)
    assert (right.became, desk.held("port"), desk.waiting()) == ("new", [9090], [])
    found = desk.memory.ledger.find([*first.ids, right.ids[-1]])
    assert [record.valid_from for record in found.values()] == [begins]


def test_a_plan_that_waits_is_corrected_in_its_value_and_its_beginning() -> None:
    desk = Desk({"confirm": ["salary"]})
    begins, later = START + timedelta(days=30), START + timedelta(days=60)
    desk.memory.approve(desk.one(attribute="salary", value="3000").ids[0])
    desk.one(attribute="salary", value="3400", valid_from=begins)
    desk.one(attribute="salary", value="3600", kind="correct")
    [plan] = desk.memory.pending()
    assert (plan.value, plan.valid_from) == ("3600", begins)
    vague = desk.one(attribute="salary", value=None, kind="retract")
    assert (vague.became, vague.ids) == ("rejected", ())
    desk.one(attribute="salary", value="3600", kind="correct", valid_from=later)
    [plan] = desk.memory.pending()
    assert (plan.value, plan.valid_from) == ("3600", later)
    desk.memory.approve(plan.id)
    desk.one(attribute="salary", value="3700", kind="correct")
    desk.memory.approve(desk.memory.pending()[0].id)
    assert desk.held("salary") == ["3000"]
    desk.clock.at = later
    assert desk.held("salary") == ["3700"]


def test_a_change_that_waits_is_corrected_and_still_ends_the_old_value() -> None:
    desk = Desk({"confirm": ["languages"]})
    changed(desk)
    right = desk.one(attribute="languages", value="Norwegian", kind="correct", replaces="Danish")
    assert (right.became, desk.waiting()) == ("pending", ["Norwegian"])
    desk.one(attribute="languages", value="Norwegian", kind="confirm")
    assert desk.held("languages") == ["Norwegian"]
    desk.memory.close()


def test_a_tool_s_change_ends_nothing_that_the_user_has_said(desk: Desk) -> None:
    desk.one(attribute="languages", value="Dutch")
    desk.one("tool", attribute="languages", value="Danish", replaces="Dutch")
    assert desk.held("languages") == ["Danish", "Dutch"]


def test_a_yes_lets_count_what_waits_and_a_no_deletes_it() -> None:
    desk = Desk({"confirm": ["medication"]})
    first = desk.one(attribute="medication", value="aspirin")
    assert (first.became, desk.held("medication"), desk.waiting()) == ("pending", [], ["aspirin"])
    assert desk.one(attribute="medication", value="aspirin").ids == first.ids
    tool = desk.one("tool", attribute="medication", value="aspirin", kind="confirm")
    assert (tool.became, desk.held("medication")) == ("rejected", [])
    yes = desk.one(attribute="medication", value=None, kind="confirm")
    assert (yes.became, desk.held("medication"), desk.waiting()) == ("new", ["aspirin"], [])
    fact = desk.memory.ledger.find(yes.ids)[yes.ids[0]]
    assert fact.valid_from == START + timedelta(hours=1)
    assert fact.confidence == 0.9
    desk.one(attribute="medication", value="codeine")
    no = desk.one(attribute="medication", value=None, kind="reject")
    assert (no.became, desk.waiting(), desk.held("medication")) == ("retract", [], ["aspirin"])


def test_an_unsure_fact_counts_once_it_has_been_heard_often_enough(desk: Desk) -> None:
    assert desk.one(attribute="city", value="Oslo", confidence=0.3).became == "pending"
    assert desk.held("city") == []
    second = desk.one(attribute="city", value="Oslo", confidence=0.3)  # 1 - 0.7 * 0.7 = 0.51
    assert (second.became, second.reason) == ("new", "heard 2 times")
    (fact,) = desk.memory.ledger.facts(subject="ann", attribute="city")
    assert [entry["episode"] for entry in fact.sources] == ["1", "3"]
    assert fact.valid_from == START + timedelta(hours=1)
    assert desk.waiting() == []


def test_what_has_to_recur_waits_for_as_many_episodes() -> None:
    desk = Desk({"recurrence": {"likes": 3}})
    became = [desk.one(attribute="likes", value="tea").became for _ in range(4)]
    assert became == ["pending", "pending", "new", "repeat"]
    (fact,) = desk.memory.ledger.facts(subject="ann", attribute="likes")
    assert len(fact.sources) == 4
    assert desk.waiting() == []


@pytest.mark.parametrize(
    "policy", [{"floor": 0.95}, {"trust": {"user": 0.5}}, {"recurrence": {"note": 2}}]
)
def test_a_correction_is_held_to_what_a_statement_is_held_to(policy: Any) -> None:
    desk = Desk(policy)
    assert desk.memory.execute(encoded("Bergen")).ok
    right = desk.one(attribute="note", value="Ghent", kind="correct", replaces="Bergen")
    assert (right.became, desk.held("note"), desk.waiting()) == ("pending", ["Bergen"], ["Ghent"])
    desk.memory.close()


@pytest.mark.parametrize(
    "policy", [{"floor": 0.95}, {"trust": {"user": 0.5}}, {"recurrence": {"note": 2}}]
)
def test_a_correction_of_what_waits_waits(policy: Any) -> None:
    desk = Desk(policy)
    desk.one(attribute="note", value="Bergen")
    right = desk.one(attribute="note", value="Ghent", kind="correct", replaces="Bergen")
    assert (right.became, desk.held("note"), desk.waiting()) == ("pending", [], ["Ghent"])
    desk.memory.close()


def test_what_is_said_twice_in_one_episode_is_heard_once() -> None:
    desk = Desk({"recurrence": {"likes": 2}})
    tea = {"attribute": "likes", "value": "tea"}
    assert [outcome.became for outcome in desk.told(tea, tea)] == ["pending", "pending"]


def test_a_tool_is_trusted_as_far_as_the_policy_says() -> None:
    desk = Desk({"trust": {"tool": 0.4, "assistant": 0}, "floor": 0.5})
    assert desk.one("tool", attribute="city", value="Oslo").became == "pending"
    assert desk.one("event", attribute="city", value="Oslo").became == "new"
    assert desk.held("city") == ["Oslo"]


def test_a_value_of_another_type_is_rejected_with_the_reason(desk: Desk) -> None:
    document = desk.memory.registry.to_document()
    document["attributes"]["seats"] = {"value_type": "number"}
    desk.memory.registry = Registry.load({**document, "version": 2})
    wrong = desk.one(attribute="seats", value="several")
    assert (wrong.became, desk.held("seats")) == ("rejected", [])
    assert "number" in wrong.reason
    assert desk.one(attribute="seats", value="1,200").became == "new"
    assert desk.held("seats") == [1200]


def test_a_locked_fact_is_not_overwritten_and_the_others_are_kept(desk: Desk) -> None:
    first = desk.one(attribute="city", value="Oslo")
    lock = {"stage": "STO", "op": "Lock", "target": {"ids": list(first.ids)},
            "args": {"mode": "read_only"}}  # fmt: skip
    assert desk.memory.execute([lock]).ok
    refused, kept = desk.told({"attribute": "city", "value": "Bergen"},
                              {"attribute": "employer", "value": "Halden"})  # fmt: skip
    assert (refused.became, kept.became) == ("rejected", "new")
    assert "lock" in refused.reason
    assert (desk.held("city"), desk.held("employer")) == (["Oslo"], ["Halden"])


def test_a_fact_says_where_it_stands_in_its_episode_and_not_in_which_words(desk: Desk) -> None:
    outcome = desk.one(attribute="city", value="Oslo", quote=(3, 8))
    fact = desk.memory.ledger.find(outcome.ids)[outcome.ids[0]]
    assert fact.payload["span"] == [3, 8]
    assert fact.source_episode_id == "1"
    assert fact.source == "user:Ann"


CARD = "4111 1111 1111 1111"


@pytest.mark.parametrize("role", ["user", "tool", "event"])
def test_a_sensitive_value_waits_under_any_attribute(desk: Desk, role: Any) -> None:
    heard = desk.one(role, attribute="library_card", value=CARD)
    assert heard.became == "pending" and desk.held("library_card") == []
    assert CARD not in heard.reason and desk.memory.pending()[0].payload["waits"] == heard.reason
    again = desk.one(role, attribute="library_card", value=CARD)
    assert again.became == "pending" and desk.waiting() == [CARD]
    assert desk.memory.approve(desk.memory.pending()[0].id).ok
    assert desk.held("library_card") == [CARD]


def test_a_correction_to_a_sensitive_value_waits_and_closes_nothing(desk: Desk) -> None:
    desk.one(attribute="badge", value="blue")
    assert desk.one(attribute="badge", value="E11.9", kind="correct").became == "pending"
    assert desk.held("badge") == ["blue"]


def test_a_denied_value_is_no_fact_and_its_turn_is_withheld() -> None:
    desk = Desk({"values": {"credential": "deny"}})
    heard = desk.one(attribute="hint", value="Tr0ub4dor&3")
    assert (heard.became, heard.denied) == ("ignored", True)
    assert desk.waiting() == [] and "Tr0ub4dor" not in heard.reason
    desk.memory.close()


def encoded(value: Any, attribute: str = "note", **args: Any) -> list[dict[str, Any]]:
    stated = {"subject": "Ann", "attribute": attribute, "value": value}
    return [{"stage": "ENC", "op": "Encode", "args": {"payload": {"structured": stated}, **args}}]


def test_a_program_out_of_a_conversation_waits_with_such_a_value(desk: Desk) -> None:
    memory = desk.memory
    seen = memory.preview(encoded(CARD, source_episode_id="7"))
    done = memory.execute(encoded(CARD, source_episode_id="7"))
    assert seen.ok and done.ok and desk.held("note") == [] and desk.waiting() == [CARD]
    assert "card" in memory.pending()[0].payload["waits"]
    [result] = memory.execute_many([encoded("E11.9", source_episode_id="8")])
    assert result.ok and len(desk.waiting()) == 2
    assert memory.execute(encoded("+49 171 1234567", source_episode_id="9")).ok
    assert desk.held("note") == ["+49 171 1234567"]
    # What was compiled from somebody's words, with and without an episode.
    said = replace(Program.load(encoded("Xk7pQ2mZ")), utterance="note: Xk7pQ2mZ")
    assert memory.execute(said).ok and "Xk7pQ2mZ" in desk.waiting()
    [held] = memory.ledger.facts(subject="ann", attribute="note")
    edit = {"target": {"ids": [held.id]}, "args": {"set": {"value": "E78.5"}}}
    new = [{"stage": "STO", "op": "Update", **edit}]
    assert memory.execute(replace(Program.load(new), utterance="no, E78.5")).ok
    assert desk.held("note") == ["+49 171 1234567"] and "E78.5" in desk.waiting()
    # By hand it is the author's own.
    assert memory.execute(encoded(CARD)).ok and desk.held("note") == [CARD]


def test_a_program_with_a_denied_value_is_refused() -> None:
    desk = Desk({"values": {"card": "deny"}})
    program = encoded(CARD, source_episode_id="7")
    for result in (desk.memory.execute(program), desk.memory.preview(program)):
        assert result.error is not None
        assert (result.error.code, result.error.pointer) == ("denied", "/0")
        assert CARD not in str(result)
    assert desk.waiting() == []
    desk.memory.close()
