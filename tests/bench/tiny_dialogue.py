"""A dialogue small enough to score by hand, and readings of it that are written down."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from tests.fixtures import ROOT
from text2mem import Memory
from text2mem.ledger.candidate import Candidate
from text2mem.ledger.episode import Episode
from text2mem.ledger.writing import commit
from text2mem_bench.episodes.cases import Case, Session, Turn, read_cases
from text2mem_bench.episodes.play import Players, play
from text2mem_bench.episodes.system import Heard, message
from text2mem_bench.episodes.tally import Tally

Json = dict[str, Any]
Script = Mapping[str, Sequence[Candidate]]
FOLDER = ROOT / "episodes"
CASES = read_cases([FOLDER])

TINY: Json = {
    "id": "tiny", "language": "en", "split": "tune", "profile": "assistant", "about": "Ada moves.",
    "zone": "UTC", "now": "2026-02-01T00:00:00Z", "tenants": ["home"],
    "policy": {"deny": ["password"]},
    "sessions": [
        {"id": "s1", "tenant": "home", "turns": [
            {"episode": "e1", "at": "2025-12-31T09:00:00Z", "role": "user", "speaker": "Ada",
             "text": "I live in Porto and I like chess.", "gold": [
                 {"subject": "ada", "attribute": "city", "value": "Porto", "type": "profile",
                  "valid_from": "2025-12-31T09:00:00Z", "quote": "I live in Porto",
                  "outcome": "new"},
                 {"subject": "ada", "attribute": "likes", "value": "chess", "type": "preference",
                  "valid_from": "2025-12-31T09:00:00Z", "quote": "I like chess",
                  "outcome": "new"}]},
            {"episode": "e2", "at": "2026-01-02T09:00:00Z", "role": "user", "speaker": "Ada",
             "text": "Today I moved to Lisbon.", "gold": [
                 {"subject": "ada", "attribute": "city", "value": "Lisbon", "type": "profile",
                  "valid_from": "2026-01-02T00:00:00Z", "quote": "I moved to Lisbon",
                  "outcome": "supersede", "concerns": "e1"}]}]},
        {"id": "s2", "tenant": "home", "turns": [
            {"episode": "e3", "at": "2026-01-03T09:00:00Z", "role": "user", "speaker": "Ada",
             "text": "My password is hunter2.", "gold": [
                 {"subject": "ada", "attribute": "password", "value": "hunter2", "type": "fact",
                  "valid_from": "2026-01-03T09:00:00Z", "quote": "hunter2", "outcome": "ignored",
                  "because": "denied"}]},
            {"episode": "e4", "at": "2026-01-04T09:00:00Z", "role": "user", "speaker": "Ada",
             "text": "I don't like chess any more.", "gold": [
                 {"subject": "ada", "attribute": "likes", "value": "chess", "type": "preference",
                  "valid_to": "2026-01-04T09:00:00Z", "quote": "I don't like chess any more",
                  "outcome": "retract", "concerns": "e1"}]},
            {"episode": "e5", "at": "2026-01-05T09:00:00Z", "role": "user", "speaker": "Ada",
             "text": "What a day!", "gold": [], "nothing": "chatter"},
            {"episode": "e6", "at": "2026-01-05T09:01:00Z", "role": "assistant",
             "text": "Isn't it?"}]},
    ],
    "ledger": [
        {"after": "e2", "tenant": "home", "facts": [
            {"subject": "ada", "attribute": "city", "value": "Lisbon", "sources": ["e2"]},
            {"subject": "ada", "attribute": "likes", "value": "chess", "sources": ["e1"]}]},
        {"after": "e5", "tenant": "home", "facts": [
            {"subject": "ada", "attribute": "city", "value": "Lisbon", "sources": ["e2"]}]},
    ],
    "questions": [
        {"id": "now", "tenant": "home", "asks": "Which city does Ada live in?", "subject": "ada",
         "attribute": "city", "answer": ["Lisbon"], "evidence": ["e2"]},
        {"id": "then", "tenant": "home", "asks": "Which city did Ada live in on 1 January 2026?",
         "subject": "ada", "attribute": "city", "as_of": "2026-01-01T12:00:00Z",
         "answer": ["Porto"], "evidence": ["e1"]},
        {"id": "likes", "tenant": "home", "asks": "What does Ada like?", "subject": "ada",
         "attribute": "likes", "answer": None, "evidence": ["e4"]},
    ],
    "forget": [
        {"id": "forget-lisbon", "tenant": "home", "at": "2026-02-01T01:00:00Z", "episode": "e2",
         "gone": {"facts": [{"subject": "ada", "attribute": "city", "value": "Lisbon"}],
                  "episodes": ["e2"], "words": ["Lisbon"]},
         "facts": []},
    ],
}  # fmt: skip


def tiny(**changes: Any) -> Case:
    return Case.model_validate_json(json.dumps({**TINY, **changes}))


def day(number: int) -> datetime:
    return datetime(2026, 1, number, tzinfo=UTC)


def state(subject: str, attribute: str, value: Any, **others: Any) -> Candidate:
    return Candidate(subject=subject, attribute=attribute, value=value, **others)


@dataclass(frozen=True, slots=True)
class Scripted:
    """Reads of each episode what a script says of it."""

    case: Case
    script: Script
    name: str = "script"

    def hear(self, memory: Memory, session: Session, turn: Turn, tally: Tally) -> Heard:
        (observed,) = memory.observe([message(turn)], session=session.id, extract=False)
        record = memory.show(observed.episode)
        assert record is not None
        episode = Episode.of(record, self.case.tz)
        outcomes = commit(memory.ledger, episode, self.script.get(turn.episode, ()))
        return Heard(observed.episode, outcomes)


def played(script: Script, case: Case | None = None, **options: Any) -> Json:
    """The row of a dialogue that is read by a script."""
    players = Players(listening=lambda each: Scripted(each, script), **options)
    return play(case or tiny(), players)


def share(row: Json, figure: str) -> tuple[int, int]:
    held, of = row["shares"].get(figure, (0, 0))
    return held, of


RIGHT: Script = {
    "e1": [
        state("ada", "city", "Porto", type="profile"),
        state("ada", "likes", "chess", type="preference"),
    ],
    "e2": [state("ada", "city", "Lisbon", type="profile", valid_from=day(2))],
    "e4": [state("ada", "likes", "chess", kind="retract")],
}
"""What a right reading finds; the password need not be read."""

WRONG: Script = {
    "e1": [
        state("Ada", "City", "porto.", type="profile"),
        state("ada", "likes", "The Chess", type="note"),
        state("bram", "city", "Faro"),
    ],
    "e2": [state("ada", "city", "Lisbon", type="profile", valid_from=day(3))],
    "e3": [state("ada", "password", "hunter2")],
    "e4": [state("ada", "likes", "chess")],
    "e5": [state("ada", "mood", "great")],
}
