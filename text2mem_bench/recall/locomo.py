"""Conversations of dated sessions with questions, as LoCoMo files hold them.

Maharana et al. 2024, "Evaluating very long-term conversational memory of LLM agents". Keys that are
not used here are passed over; what is used is read strictly (fixtures/episodes/README.md).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from text2mem.errors import ConfigurationError
from text2mem.ir.words.calendar_names import MONTHS

CATEGORIES = {
    1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial",
}  # fmt: skip
_SESSION = re.compile(r"session_([1-9][0-9]*)")
_DATED = re.compile(
    r"(?P<hour>1[0-2]|0?[1-9]):(?P<minute>[0-5][0-9]) (?P<half>[ap])m on "
    r"(?P<day>\d{1,2}) (?P<month>[A-Z][a-z]+),? (?P<year>\d{4})"
)
_PLACE = re.compile(r"D:?0*([1-9][0-9]*):0*([1-9][0-9]*)")


@dataclass(frozen=True, slots=True)
class Said:
    """One turn: its id in the file, whose words, and what was said; a picture as its caption."""

    id: str
    speaker: str
    text: str


@dataclass(frozen=True, slots=True)
class Session:
    """The turns of one session, and when it was held; files name no zone, it is read as UTC."""

    at: datetime
    turns: tuple[Said, ...]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, the turns that hold its answer, and those it names that are not in the file."""

    question: str
    category: str
    evidence: tuple[str, ...]
    unknown: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Sample:
    """One conversation with its questions."""

    id: str
    sessions: tuple[Session, ...]
    questions: tuple[Asked, ...]


def read_samples(path: str | Path) -> list[Sample]:
    """The conversations of a file. Raises ConfigurationError, which names the file and the place.

    Evidence written in one string is taken apart ("D1:3; D2:1"), "D:1:3" and "D01:3" are D1:3.
    """
    try:
        raw = json.loads(Path(path).read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"cannot read {path}: {error}") from error
    try:
        samples = raw if isinstance(raw, list) else [raw]
        return [_sample(each, f"/{number}") for number, each in enumerate(samples)]
    except _Unreadable as error:
        raise ConfigurationError(
            f"{path}: {error}", hint="see fixtures/episodes/locomo.schema.json"
        ) from error


class _Unreadable(Exception):
    """Where a file is not as it should be, and why."""


def _sample(raw: Any, place: str) -> Sample:
    talk = _part(raw, "conversation", dict, place)
    sessions = dict(_sessions(talk, f"{place}/conversation"))
    if not sessions:
        raise _Unreadable(f"{place}/conversation: there is no session_1")
    known = {said.id for session in sessions.values() for said in session.turns}
    asked = [
        _asked(each, known, f"{place}/qa/{number}")
        for number, each in enumerate(_part(raw, "qa", list, place))
    ]
    name = raw.get("sample_id", place.removeprefix("/"))
    ordered = tuple(sessions[number] for number in sorted(sessions))
    return Sample(str(name), ordered, tuple(asked))


def _sessions(talk: Mapping[str, Any], place: str) -> Iterator[tuple[int, Session]]:
    """The sessions by number; dates of sessions that are not there are passed over."""
    for key in talk:
        found = _SESSION.fullmatch(key)
        if found is None:
            continue
        at = _instant(_part(talk, f"{key}_date_time", str, place), f"{place}/{key}_date_time")
        turns = tuple(
            _said(each, f"{place}/{key}/{number}")
            for number, each in enumerate(_part(talk, key, list, place))
        )
        yield int(found[1]), Session(at, turns)


def _said(raw: Any, place: str) -> Said:
    text = _part(raw, "text", str, place)
    caption = raw.get("blip_caption")
    if isinstance(caption, str) and caption.strip():
        text = f"{text} [{caption.strip()}]".strip()
    return Said(_id(_part(raw, "dia_id", str, place)), _part(raw, "speaker", str, place), text)


def _asked(raw: Any, known: set[str], place: str) -> Asked:
    category = _part(raw, "category", int, place)
    if category not in CATEGORIES:
        raise _Unreadable(f"{place}/category: {category} is none of 1 to 5")
    named: list[str] = []
    for number, each in enumerate(_part(raw, "evidence", list, place)):
        if not isinstance(each, str):
            raise _Unreadable(f"{place}/evidence/{number}: {each!r} is no string")
        found = [f"D{session}:{turn}" for session, turn in _PLACE.findall(each)]
        named += found or [each]
    named = list(dict.fromkeys(named))
    return Asked(
        _part(raw, "question", str, place), CATEGORIES[category],
        tuple(id_ for id_ in named if id_ in known),
        tuple(id_ for id_ in named if id_ not in known),
    )  # fmt: skip


def _id(written: str) -> str:
    found = _PLACE.fullmatch(written.strip())
    return f"D{found[1]}:{found[2]}" if found else written


def _part(raw: Any, key: str, kind: type, place: str) -> Any:
    """What stands under a key, of one kind of JSON."""
    if not isinstance(raw, Mapping):
        raise _Unreadable(f"{place}: an object is needed")
    if key not in raw:
        raise _Unreadable(f"{place}: there is no '{key}'")
    found = raw[key]
    if not isinstance(found, kind) or isinstance(found, bool):
        raise _Unreadable(f"{place}/{key}: {type(found).__name__} is not what is needed here")
    return found


def _instant(written: str, place: str) -> datetime:
    """When a session was held: "1:56 pm on 8 May, 2023"."""
    found = _DATED.fullmatch(written.strip())
    if found is None or found["month"].lower() not in MONTHS:
        raise _Unreadable(f"{place}: {written!r} is not such as '1:56 pm on 8 May, 2023'")
    hour = int(found["hour"]) % 12 + (12 if found["half"] == "p" else 0)
    month = MONTHS.index(found["month"].lower()) + 1
    try:
        return datetime(
            int(found["year"]), month, int(found["day"]), hour, int(found["minute"]), tzinfo=UTC
        )
    except ValueError as error:
        raise _Unreadable(f"{place}: {written!r}: {error}") from error
