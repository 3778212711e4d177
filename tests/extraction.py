"""The pairs of ``fixtures/extraction``: a message, what is known before it, what is read out of "
"it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any
from zoneinfo import ZoneInfo

from tests.fixtures import ROOT
from text2mem.ir.record import Record
from text2mem.ir.registry import Registry
from text2mem.ir.values import UnfitValue
from text2mem.ir.words.naming import name_key
from text2mem.ledger.candidate import Candidate
from text2mem.ledger.episode import Episode, Message

FOLDER = ROOT / "extraction"
AT = "2026-03-10T09:00:00Z"
"""When a message is said that names no instant: a Tuesday."""
Json = dict[str, Any]
_SHIPPED = json.loads((ROOT.parent / "schema" / "registry.v1.json").read_text("utf-8"))


def cases(name: str) -> list[Json]:
    """The cases of one file."""
    found: list[Json] = json.loads((FOLDER / f"{name}.json").read_text("utf-8"))
    return found


@cache
def _registry(added: str) -> Registry:
    attributes = {**_SHIPPED["attributes"], **json.loads(added)}
    return Registry.load({**_SHIPPED, "version": 2, "attributes": attributes})


@dataclass(slots=True)
class CaseKnown:
    """What is known in a case."""

    registry: Registry
    held: list[Record] = field(default_factory=list)
    waits: list[Record] = field(default_factory=list)
    turns: list[tuple[Episode, Sequence[Record]]] = field(default_factory=list)

    def subjects(self) -> Sequence[str]:
        """Those of the facts, the latest first."""
        return list(dict.fromkeys(r.subject for r in reversed(self.held) if r.subject))

    def attributes(self) -> Sequence[str]:
        """Those of the facts."""
        return list(dict.fromkeys(r.attribute for r in self.held if r.attribute))

    def knows(self, subject: str) -> bool:
        """Whether any fact of it is known."""
        return any(name_key(r.subject or "") == subject for r in (*self.held, *self.waits))

    def not_now(self, subject: str, attribute: str) -> Sequence[Record]:
        """None: the cases have only a present."""
        return ()

    def facts(
        self, *, subject: str | None = None, attribute: str | None = None
    ) -> Sequence[Record]:
        """The latest first."""
        return [
            r
            for r in reversed(self.held)
            if subject in (None, r.subject) and attribute in (None, r.attribute)
        ]

    def waiting(self) -> Sequence[Record]:
        """The latest first."""
        return list(reversed(self.waits))

    @property
    def before(self) -> Sequence[tuple[Episode, Sequence[Record]]]:
        """The turns before."""
        return self.turns


def played(case: Json) -> tuple[Episode, CaseKnown]:
    """The episode of a case, and what is known before it."""
    at, zone = datetime.fromisoformat(case.get("at", AT)), ZoneInfo(case.get("zone", "UTC"))
    known = CaseKnown(_registry(json.dumps(case.get("registry", {}))))
    for number, fact in enumerate(case.get("known", ())):
        _add(known, fact, str(1000 + number), at - timedelta(days=7))
    before = case.get("before", ())
    for number, turn in enumerate(before):
        when = at - timedelta(minutes=len(before) - number)
        message = Message(
            text=turn.get("text", ""), structured=turn.get("structured"), role=turn["role"],
            speaker=turn.get("speaker", case.get("speaker") if turn["role"] == "user" else None),
        )  # fmt: skip
        episode = Episode(id=str(2000 + number), message=message, session="s", at=when, tz=zone)
        facts = tuple(_add(known, f, episode.id, when) for f in turn.get("facts", ()))
        known.turns.append((episode, facts))
    message = Message(
        text=case.get("text", ""), structured=case.get("structured"),
        role=case.get("role", "user" if "text" in case else "tool"), speaker=case.get("speaker"),
    )  # fmt: skip
    return Episode(id="3000", message=message, session="s", at=at, tz=zone), known


def _add(known: CaseKnown, fact: Sequence[Any], episode: str, at: datetime) -> Record:
    subject, attribute, value, *more = fact
    waits = more == ["waiting"]
    begins = at if waits or not more else datetime.fromisoformat(more[0])
    name = known.registry.attribute(attribute)
    types = {"package_manager": "project", "default_branch": "project", "默认分支": "project"}
    record = Record(
        id=str(len(known.held) + len(known.waits)), subject=subject, attribute=name.name,
        value=known.registry.normalise(name, value), type=types.get(attribute, "fact"),
        valid_from=begins, pending=waits, source_episode_id=episode,
        sources=({"episode": episode, "at": at},), created_at=at, updated_at=at,
    )  # fmt: skip
    (known.waits if waits else known.held).append(record)
    return record


def said(candidate: Candidate, known: CaseKnown) -> Json:
    """A candidate in the form that cases are compared in."""
    attribute = known.registry.attribute(candidate.attribute)
    value = candidate.value
    with suppress(UnfitValue):
        value = known.registry.normalise(attribute, value)
    out: Json = {
        "subject": name_key(candidate.subject), "attribute": attribute.name, "value": value,
        "kind": candidate.kind, "valid_from": _instant(candidate.valid_from),
        "valid_to": _instant(candidate.valid_to), "never": candidate.never,
        "unsure": candidate.confidence < 0.5, "replaces": candidate.replaces,
    }  # fmt: skip
    return out


def wanted(expected: Json, known: CaseKnown) -> Json:
    """An expected candidate with its defaults, in the same form."""
    attribute = known.registry.attribute(expected["attribute"])
    value = expected.get("value")
    if value is not None:
        value = known.registry.normalise(attribute, value)
    return {
        "subject": expected["subject"], "attribute": attribute.name, "value": value,
        "kind": expected.get("kind", "state"), "valid_from": expected.get("valid_from"),
        "valid_to": expected.get("valid_to"), "never": expected.get("never", False),
        "unsure": expected.get("unsure", False), "replaces": expected.get("replaces"),
    }  # fmt: skip


def _instant(at: datetime | None) -> str | None:
    return None if at is None else f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
