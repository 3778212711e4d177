"""Episodes: what was said or reported, as it came, before anything is read out of it.

An episode is a memory of type ``episode``, so that it is searched, locked, erased and undone like
any other. Its text or structured payload is the message; who said it and in which conversation
stand in its facets, ``role``, ``speaker`` and ``session``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Any, Literal, get_args

from text2mem.errors import ConfigurationError
from text2mem.ir.json_values import flaws
from text2mem.ir.record import Record
from text2mem.ir.times.temporal import format_instant
from text2mem.ir.words.naming import name_key

EPISODE = "episode"
"""The memory type of episodes."""
Role = Literal["user", "assistant", "tool", "event"]
ROLES: tuple[str, ...] = get_args(Role)
_WRAPPED = "message"
"""Where a structured message stands in its payload: bare, it could be taken for a fact."""
FIRST, LAST = 2, 9998
"""Years in which an instant can be written in every zone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message: a ``text``, or the ``structured`` result of a tool or an event.

    ``speaker`` is the user's name, or the tool's. ``at`` is when it was said; None is now.
    """

    text: str = ""
    structured: Mapping[str, Any] | None = None
    role: Role = "user"
    speaker: str | None = None
    at: datetime | None = None

    @classmethod
    def of(cls, said: str | Mapping[str, Any] | Message) -> Message:
        """A message as callers write it: a text of the user's, or a mapping with these fields.

        A mapping's text may stand under ``content``, as chat messages have it, and ``at`` be ISO
        8601. Raises ConfigurationError, which says what is wrong with it.
        """
        if isinstance(said, Message):
            message = said
        elif isinstance(said, str):
            message = cls(text=said)
        elif isinstance(said, Mapping):
            message = _from_mapping(said)
        else:
            raise ConfigurationError(
                f"a message is a text or a mapping, not {type(said).__name__}",
                hint="give one of them, or a list of them",
            )
        _check(message)
        return message

    @property
    def said(self) -> str:
        """The text, or the JSON of what is structured."""
        if self.structured is None:
            return self.text
        return json.dumps(self.structured, ensure_ascii=False)


def _check(message: Message) -> None:
    """Raises ConfigurationError for the first fault of a message."""
    if message.role not in ROLES:
        role: object = message.role
        named = repr(role) if isinstance(role, str) else type(role).__name__
        raise ConfigurationError(
            f"a message has the role {named:.40}", hint=f"write one of {', '.join(ROLES)}"
        )
    said = bool(message.text.strip())
    if not said and not message.structured:
        raise ConfigurationError(
            "a message is empty", hint="give it a text, or a structured object"
        )
    if said and message.structured is not None:
        raise ConfigurationError(
            "a message has a text and a structured part", hint="send them as two messages"
        )
    if not isinstance(message.speaker, (str, type(None))):
        raise ConfigurationError(
            f"a message's speaker is a name, not {type(message.speaker).__name__}"
        )
    at = message.at
    if not isinstance(at, (datetime, type(None))):
        raise ConfigurationError(f"a message's instant is {type(at).__name__}, and no datetime")
    if at is not None and not FIRST <= at.year <= LAST:
        raise ConfigurationError(
            f"a message's instant is {at!s:.40}", hint=f"write one of the years {FIRST} to {LAST}"
        )
    for flaw in flaws({"text": message.text, "structured": message.structured}):
        raise ConfigurationError(
            f"a message cannot be kept: {flaw.pointer} {flaw.message}", hint=flaw.hint
        )


def _from_mapping(said: Mapping[str, Any]) -> Message:
    known = {"text", "content", "structured", "role", "speaker", "name", "at"}
    strange = sorted(map(str, set(said) - known))
    if strange:
        raise ConfigurationError(
            f"a message has unknown fields: {', '.join(strange)}",
            hint=f"write {', '.join(sorted(known))}",
        )
    text = said.get("text", said.get("content", ""))
    structured, at = said.get("structured"), said.get("at")
    if not isinstance(text, str) or not isinstance(structured, (Mapping, type(None))):
        raise ConfigurationError("a message's text is a string, its structured part an object")
    if isinstance(at, str):
        try:
            at = datetime.fromisoformat(at)
        except ValueError as error:
            raise ConfigurationError(
                f"a message's instant {at!r} cannot be read: {error}"
            ) from error
    return Message(
        text=text, structured=structured, role=said.get("role", "user"),
        speaker=said.get("speaker", said.get("name")), at=at,
    )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """A message that has been stored. ``at`` is aware; ``tz`` is the zone that days are read in."""

    id: str
    message: Message
    session: str | None
    at: datetime
    tz: tzinfo
    owner: str | None = None

    @property
    def text(self) -> str:
        """What was said; of a structured message its JSON."""
        return self.message.said

    @property
    def role(self) -> Role:
        """Whose words they are."""
        return self.message.role

    @classmethod
    def of(cls, record: Record, tz: tzinfo) -> Episode:
        """The episode that a memory holds."""
        facets = record.facets
        held = record.payload.get("structured")
        structured = held.get(_WRAPPED) if isinstance(held, Mapping) else None
        role = facets.get("role")
        message = Message(
            text="" if structured is not None else record.text,
            structured=structured if isinstance(structured, Mapping) else None,
            role=role if role in ROLES else "user",
            speaker=_name(facets.get("speaker")), at=record.when,
        )  # fmt: skip
        session = _name(facets.get("session"))
        return cls(
            id=record.id,
            message=message,
            session=session,
            at=record.when,
            tz=tz,
            owner=record.owner,
        )


def _name(facet: Any) -> str | None:
    """A facet that is a name; a memory written by hand may hold anything there."""
    return facet if isinstance(facet, str) else None


def speaker(episode: Episode) -> str:
    """Who says "I", folded; of a tool and an event without a name their role."""
    return name_key(episode.message.speaker or episode.role)


def encoding(message: Message, *, session: str | None, at: datetime) -> dict[str, Any]:
    """The instance that stores a message."""
    payload: dict[str, Any] = {"text": message.text}
    if message.structured is not None:
        payload = {"structured": {_WRAPPED: dict(message.structured)}}
    facets = {"role": message.role, "speaker": message.speaker, "session": session}
    args = {
        "payload": payload, "type": EPISODE, "time": format_instant(at),
        "source": source(message), "facets": {k: v for k, v in facets.items() if v is not None},
    }  # fmt: skip
    return {"stage": "ENC", "op": "Encode", "args": args}


def source(message: Message) -> str:
    """Where a message comes from: the role, with the speaker where there is one."""
    return message.role if message.speaker is None else f"{message.role}:{message.speaker}"
