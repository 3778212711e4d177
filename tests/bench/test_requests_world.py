"""Requests about memory as an agent's tasks: drafted, tried dry, asked about, submitted."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from text2mem.errors import ConfigurationError, MalformedOutput
from text2mem.providers.base import Request
from text2mem.providers.function import FunctionProvider
from text2mem_bench.agent.loop import Action, Budget, Hints, State, play
from text2mem_bench.experience.environment import Posed
from text2mem_bench.requests.environment import RequestEnvironment, read_people
from text2mem_bench.requests.world import RequestWorld
from text2mem_bench.wild.cases import Case, Store
from text2mem_bench.wild.world import Worlds, context, worlds

FIXTURES = Path(__file__).parents[2] / "fixtures" / "wild"
LEASE, BOILER = "The lease of the flat ends in June.", "The boiler was serviced by Cormac."
STORE = Store.model_validate(
    {
        "store": "mara", "lang": "en", "now": "2026-03-02T09:00:00Z", "tz": "UTC",
        "memories": [
            {"id": "1", "created": "2026-01-02T09:00:00Z", "text": LEASE},
            {"id": "2", "created": "2026-01-03T09:00:00Z", "text": BOILER},
        ],
    }
)  # fmt: skip
CASE: dict[str, Any] = {
    "id": "mara-1", "store": "mara", "lang": "en", "kind": "own-op", "ask": "may",
    "request": "park the boiler note", "meant": "Archive the note on the boiler.",
    "learnt": {"request": "Park the lease.", "told": "Put the lease in the archive."},
    "changes": {"2": [{"archived": True}]},
}  # fmt: skip
ARCHIVED = {"steps": [{"op": "Demote", "about": "boiler", "archive": True}]}
TOLD = {"steps": [{"op": "Demote", "about": "lease", "archive": True}]}
READ = {"steps": [{"op": "Retrieve", "about": "boiler"}]}


def case(**changes: Any) -> Case:
    return Case.model_validate({**CASE, **changes})


def reader(request: Request) -> Any:
    """Understands the word where it is shown what it means."""
    said = request.messages[-1].content
    if "in the archive" in said.rpartition("Put the lease")[2]:
        return TOLD
    whole = "\n".join(turn.content for turn in request.messages)
    return ARCHIVED if "Park the lease." in whole else READ


@pytest.fixture
def copies() -> Iterator[Worlds]:
    with worlds() as made:
        yield made


def world(copies: Worlds, model: Any = reader, **changes: Any) -> RequestWorld:
    return RequestWorld(case(**changes), STORE, copies, FunctionProvider(model))


def names(steps: Any) -> list[str]:
    return [step.action.name for step in steps]


class Hinting:
    """Shows the same at either level."""

    def __init__(self, episode: str = "", turn: str = "") -> None:
        self.hints = Hints(episode, turn)

    def episode(self, _: State) -> str:
        return self.hints.episode

    def turn(self, _: State) -> str:
        return self.hints.turn


def test_what_nobody_could_know_is_submitted_and_then_asked_about(copies: Worlds) -> None:
    played = play(world(copies))
    assert names(played.steps) == [
        "draft", "dry_run", "submit", "ask", "draft", "dry_run", "submit",
    ]  # fmt: skip
    assert played.solved
    assert played.steps[3].observation.text == "Put the lease in the archive."


def test_an_episode_makes_it_right_at_once(copies: Worlds) -> None:
    shown = Hinting(episode=f"Park the lease.\n{json.dumps(TOLD)}")
    played = play(world(copies), shown)
    assert names(played.steps) == ["draft", "dry_run", "submit"]
    assert played.solved


def test_the_person_explains_where_what_was_shown_did_not_help(copies: Worlds) -> None:
    shown = Hinting(episode=f"Mow the lawn.\n{json.dumps(READ)}")
    played = play(world(copies), shown)
    assert names(played.steps)[:4] == ["draft", "dry_run", "submit", "ask"]
    assert played.solved


def test_a_turn_in_which_asking_helped_makes_it_ask_before_it_submits(copies: Worlds) -> None:
    played = play(world(copies), Hinting(turn="ask: Park the lease. -> Put it in the archive"))
    assert names(played.steps) == ["draft", "dry_run", "ask", "draft", "dry_run", "submit"]
    assert played.solved


def test_of_options_the_person_picks_what_they_mean(copies: Worlds) -> None:
    twice = {
        **STORE.model_dump(mode="json", exclude_none=True),
        "memories": [
            {"id": "1", "created": "2026-01-02T09:00:00Z", "text": "Boiler manual in the cellar."},
            {"id": "2", "created": "2026-01-03T09:00:00Z", "text": "Boiler manual in the attic."},
        ],
    }  # fmt: skip
    unsure = {"steps": [{"op": "Delete", "about": "boiler manual"}]}
    changes = {"changes": {"2": [{"gone": True}]}, "learnt": None}
    made = RequestWorld(
        case(request="drop the boiler manual", **changes), Store.model_validate(twice), copies,
        FunctionProvider(lambda _: unsure),
    )  # fmt: skip
    played = play(made)
    assert names(played.steps) == ["draft", "ask", "submit"]
    assert "attic" in played.steps[1].observation.text
    assert played.solved


def test_who_can_say_no_more_says_so_and_it_ends(copies: Worlds) -> None:
    played = play(world(copies, learnt=None))
    assert not played.solved
    assert names(played.steps)[:4] == ["draft", "dry_run", "submit", "ask"]
    assert "cannot say" in played.steps[3].observation.text


def test_what_cannot_be_drafted_is_an_observation(copies: Worlds) -> None:
    played = play(world(copies, lambda _: "no draft"), budget=Budget(turns=4))
    assert not played.solved
    assert not played.steps[0].observation.ok


def test_what_cannot_be_run_dry_is_an_observation(
    copies: Worlds, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: Any, **__: Any) -> Any:
        raise MalformedOutput("the model's parts leave out words of the memory")

    made = world(copies)
    made.act(Action("draft", "park it"))
    monkeypatch.setattr("text2mem_bench.requests.world.Memory.execute", failing)
    seen = made.act(Action("dry_run"))
    assert (seen.ok, seen.text) == (False, "the model's parts leave out words of the memory")


def test_looking_finds_what_is_stored(copies: Worlds) -> None:
    assert world(copies).act(Action("look", "boiler")).text == BOILER
    assert not world(copies).act(Action("look", "quantum")).ok


def test_nothing_is_done_to_the_store_itself(copies: Worlds) -> None:
    play(world(copies))
    with copies.of(STORE) as adapter:
        view = adapter.view(context(STORE))
        assert sorted(each.text for each in view.recent(9)) == sorted([LEASE, BOILER])


# --- the environment -----------------------------------------------------------------------


def test_words_that_were_told_are_remembered_under_their_person(copies: Worlds) -> None:
    cases = [case(), case(id="mara-2", learnt=None, kind="own-ordinary")]
    environment = RequestEnvironment({"mara": STORE}, cases, copies, FunctionProvider(reader))
    whole, turn = environment.remembered()
    assert whole.text == f"Park the lease.\n{json.dumps(TOLD, separators=(',', ':'))}"
    assert (whole.place, turn.level, turn.action) == ("mara", "turn", "ask")
    assert [each.group for each in environment.training()] == ["op", "ordinary"]
    assert environment.evaluation() == []
    posed: Posed[Case] = environment.training()[0]
    assert posed.kind == "WRITE"
    first = environment.played(posed, None, Budget())
    state = first.first.state(3, Budget())
    assert environment.played(posed, None, Budget(), begun=state.steps).first == first.first


def test_the_people_of_the_fixtures_are_read() -> None:
    stores, cases = read_people(FIXTURES)
    assert (len(stores), len(cases)) == (10, 120)
    with pytest.raises(ConfigurationError, match="has no"):
        read_people(FIXTURES.parent)
