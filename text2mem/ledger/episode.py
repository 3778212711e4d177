"""Episodes: messages as they came, stored before anything is read out of them.

An episode is a memory of type ``episode``, whose text or structured payload is the message. Its
facets ``role``, ``speaker`` and ``session`` say who said it and in which conversation.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Any, Literal, get_args

from text2mem.errors import ConfigurationError
from text2mem.ir.json_values import flaws
from text2mem.ir.record import Record
from text2mem.ir.times.temporal import format_instant
from text2mem.ir.words.naming import name_key

EPISODE = "episode"
Role = Literal["user", "assistant", "tool", "event"]
ROLES: tuple[str, ...] = get_args(Role)
_WRAPPED = "message"
"""The key of a structured message in its payload. Without it a message could look like a fact."""
FIRST, LAST = 2, 9998
"""The first and the last year whose instants can be written in every time zone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message: a text, or the structured result of a tool or an event."""

    text: str = ""
    structured: Mapping[str, Any] | None = None
    role: Role = "user"
    speaker: str | None = None
    """The name of the user or of the tool."""
    at: datetime | None = None
    """When it was said; None is now."""

    @classmethod
    def of(cls, said: str | Mapping[str, Any] | Message) -> Message:
        """A message of a text (of the role user), or of a mapping with these fields; there,
        ``content`` may stand for ``text``, ``name`` for ``speaker``, and ``at`` may be ISO 8601.
        Raise ConfigurationError if it is not a valid message."""
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
        for fault, hint in _faults(message):
            raise ConfigurationError(fault, hint=hint)
        return message

    @property
    def said(self) -> str:
        """The text, or the structured part as JSON."""
        if self.structured is None:
            return self.text
        return json.dumps(self.structured, ensure_ascii=False)


def _faults(message: Message) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with a message, each with a hint."""
    fields: tuple[object, object, object] = (message.role, message.speaker, message.at)
    role, speaker, at = fields
    if role not in ROLES:
        named = repr(role) if isinstance(role, str) else type(role).__name__
        yield f"a message has the role {named:.40}", f"write one of {', '.join(ROLES)}"
    has_text = bool(message.text.strip())
    if not has_text and not message.structured:
        yield "a message is empty", "give it a text, or a structured object"
    if has_text and message.structured is not None:
        yield "a message has a text and a structured part", "send them as two messages"
    if not isinstance(speaker, str | None):
        yield f"a message's speaker is a name, not {type(speaker).__name__}", ""
    if not isinstance(at, datetime | None):
        yield f"a message's instant is {type(at).__name__}, and no datetime", ""
    elif at is not None and not FIRST <= at.year <= LAST:
        yield f"a message's instant is {at!s:.40}", f"write one of the years {FIRST} to {LAST}"
    for flaw in flaws({"text": message.text, "structured": message.structured}):
        yield f"a message cannot be kept: {flaw.pointer} {flaw.message}", flaw.hint


def _from_mapping(mapping: Mapping[str, Any]) -> Message:
    known = {"text", "content", "structured", "role", "speaker", "name", "at"}
    unknown = sorted(map(str, set(mapping) - known))
    if unknown:
        raise ConfigurationError(
            f"a message has unknown fields: {', '.join(unknown)}",
            hint=f"write {', '.join(sorted(known))}",
        )
    text = mapping.get("text", mapping.get("content", ""))
    structured, at = mapping.get("structured"), mapping.get("at")
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
        text=text, structured=structured, role=mapping.get("role", "user"),
        speaker=mapping.get("speaker", mapping.get("name")), at=at,
    )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """A message that has been stored."""

    id: str
    """That of the memory that holds it."""
    message: Message
    session: str | None
    at: datetime
    """When it was said; aware."""
    tz: tzinfo
    """The time zone in which its words for days and times are read."""
    owner: str | None = None

    @property
    def text(self) -> str:
        return self.message.said

    @property
    def role(self) -> Role:
        return self.message.role

    @classmethod
    def of(cls, record: Record, tz: tzinfo) -> Episode:
        """The episode that is stored in a memory. Facets that make no sense are ignored."""
        facets = record.facets
        wrapper = record.payload.get("structured")
        structured = wrapper.get(_WRAPPED) if isinstance(wrapper, Mapping) else None
        role = facets.get("role")
        message = Message(
            text="" if structured is not None else record.text,
            structured=structured if isinstance(structured, Mapping) else None,
            role=role if role in ROLES else "user",
            speaker=_name(facets.get("speaker")), at=record.when,
        )  # fmt: skip
        return cls(
            id=record.id, message=message, session=_name(facets.get("session")), at=record.when,
            tz=tz, owner=record.owner,
        )  # fmt: skip


def _name(facet: Any) -> str | None:
    """A facet if it is a string, else None: a program may have written anything there."""
    return facet if isinstance(facet, str) else None


def speaker(episode: Episode) -> str:
    """The folded name of whoever speaks; the role if the message names no speaker."""
    return name_key(episode.message.speaker or episode.role)


def encoding(message: Message, *, session: str | None, at: datetime) -> dict[str, Any]:
    """The Encode that stores a message as an episode."""
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
    """The ``source`` of an episode and its facts: the role, or ``role:speaker``."""
    return message.role if message.speaker is None else f"{message.role}:{message.speaker}"
