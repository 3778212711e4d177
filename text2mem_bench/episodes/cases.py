"""Dialogues as files hold them, read strictly (fixtures/episodes/case.schema.json)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, StrictBool, field_validator
from pydantic import ValidationError as PydanticError

from text2mem import resources
from text2mem.errors import ConfigurationError
from text2mem.ir.registry import Registry

Split = Literal["tune", "held-out"]
Kind = Literal["new", "repeat", "supersede", "late", "correct", "retract", "pending", "ignored"]
Text = Annotated[str, Field(min_length=1)]
Value = StrictBool | int | float | str


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class Gold(_Part):
    """One value that a right reading finds in a turn, and what becomes of it."""

    subject: Text
    attribute: Text
    value: Value
    type: Text
    quote: Text
    outcome: Kind
    valid_from: AwareDatetime | None = None
    valid_to: AwareDatetime | None = None
    concerns: str | None = None
    needs: tuple[str, ...] = ()
    because: Literal["sensitive", "unsure", "denied"] | None = None
    optional: bool = False

    @property
    def counts(self) -> bool:
        """Whether it counts for and against a reading."""
        return not self.optional and self.outcome != "ignored"

    @property
    def retracts(self) -> bool:
        """Whether it says that something holds no longer, or never did."""
        return self.outcome == "retract"


class Turn(_Part):
    """One message of a dialogue."""

    episode: Text
    at: AwareDatetime
    role: Literal["user", "assistant", "tool", "event"]
    speaker: str | None = None
    text: str = ""
    structured: Mapping[str, Any] | None = None
    gold: tuple[Gold, ...] = ()
    nothing: str | None = None

    @property
    def said(self) -> str:
        """The text; of a structured turn its JSON."""
        if self.structured is None:
            return self.text
        return json.dumps(self.structured, ensure_ascii=False)


class Session(_Part):
    """A conversation of one tenant."""

    id: Text
    tenant: Text
    turns: tuple[Turn, ...]


class Named(_Part):
    """A value of an attribute of a subject."""

    subject: Text
    attribute: Text
    value: Value


class Fact(Named):
    """A fact with the episodes that state it."""

    sources: tuple[str, ...] = ()


class Look(_Part):
    """All that a tenant's ledger holds as current once a turn has been taken in."""

    after: Text
    tenant: Text
    facts: tuple[Fact, ...]
    pending: tuple[Fact, ...] = ()


class Question(_Part):
    """A question; one with ``finds`` is for a memory of bare texts, and has no subject."""

    id: Text
    tenant: Text
    asks: Text
    subject: str | None = None
    via: tuple[str, ...] = ()
    attribute: str | None = None
    as_of: AwareDatetime | None = None
    known_at: AwareDatetime | None = None
    answer: tuple[Value, ...] | None = None
    evidence: tuple[str, ...] = ()
    finds: str | None = None


class Gone(_Part):
    """What a deletion takes."""

    facts: tuple[Named, ...]
    episodes: tuple[str, ...]
    words: tuple[Text, ...]


class Order(_Part):
    """A deletion, of a subject or of an episode."""

    id: Text
    tenant: Text
    at: AwareDatetime
    gone: Gone
    facts: tuple[Fact, ...]
    subject: str | None = None
    episode: str | None = None


class Case(_Part):
    """A dialogue of several sessions, and what is expected of a memory that hears it."""

    id: Text
    language: Literal["en", "zh"]
    split: Split
    profile: str
    about: str
    zone: str
    now: AwareDatetime
    tenants: tuple[str, ...]
    registry: Mapping[str, Any] = Field(default_factory=dict)
    policy: Mapping[str, Any] = Field(default_factory=dict)
    aliases: Mapping[str, Mapping[str, tuple[str, ...]]] = Field(default_factory=dict)
    sessions: tuple[Session, ...]
    ledger: tuple[Look, ...]
    questions: tuple[Question, ...]
    forget: tuple[Order, ...] = ()

    @field_validator("zone")
    @classmethod
    def _a_zone(cls, name: str) -> str:
        try:
            ZoneInfo(name)
        except (ZoneInfoNotFoundError, ValueError, OSError) as error:
            raise ValueError(f"there is no zone {name!r}") from error
        return name

    @property
    def tz(self) -> ZoneInfo:
        """The zone that days are read in."""
        return ZoneInfo(self.zone)

    @cached_property
    def turns(self) -> Sequence[tuple[Session, Turn]]:
        """The turns in the order in which they are played, each with its session."""
        every = [(session, turn) for session in self.sessions for turn in session.turns]
        return sorted(every, key=lambda pair: pair[1].at)

    @cached_property
    def tenant_of(self) -> Mapping[str, str]:
        """Whose an episode is."""
        return {turn.episode: session.tenant for session, turn in self.turns}

    def heard(self, tenant: str) -> Sequence[Turn]:
        """The turns of one tenant, in order."""
        return [turn for session, turn in self.turns if session.tenant == tenant]

    def asked(self) -> Sequence[Question]:
        """The questions that a ledger answers."""
        return [question for question in self.questions if question.subject is not None]

    @cached_property
    def declared(self) -> Registry:
        """The shipped registry with the attributes that the dialogue adds."""
        return extended(self.registry)


def extended(added: Mapping[str, Any]) -> Registry:
    """The shipped registry with the ``attributes`` of a dialogue, one version on."""
    shipped = json.loads(resources.read_text("schema", "registry.v1.json"))
    attributes = {**shipped["attributes"], **added.get("attributes", {})}
    return Registry.load({**shipped, "version": 2, "attributes": attributes})


def read_cases(
    paths: Sequence[str | Path], *, split: Split | None = None, limit: int | None = None
) -> list[Case]:
    """The dialogues of files and folders, in the order of their ids.

    Of a folder are read the JSON files that hold an object with ``sessions``; schemas and other
    files are passed over. Raises ConfigurationError, which names the file and every fault.
    """
    found: dict[str, Case] = {}
    for path, raw in _documents(paths):
        try:
            case = Case.model_validate_json(json.dumps(raw))
        except PydanticError as error:
            faults = "; ".join(
                f"/{'/'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in error.errors()
            )
            raise ConfigurationError(
                f"{path} is no dialogue: {faults}", hint="see fixtures/episodes/case.schema.json"
            ) from error
        _require_known_episodes(path, case)
        if case.id in found:
            raise ConfigurationError(f"{path}: there is another dialogue '{case.id}'")
        found[case.id] = case
    chosen = (found[id_] for id_ in sorted(found) if split in (None, found[id_].split))
    return list(islice(chosen, limit))


def _documents(paths: Sequence[str | Path]) -> Iterator[tuple[Path, Any]]:
    for path in map(Path, paths):
        whole = path.is_dir()
        for file in sorted(path.glob("*.json")) if whole else [path]:
            try:
                raw = json.loads(file.read_text("utf-8"))
            except (OSError, ValueError) as error:
                raise ConfigurationError(f"cannot read {file}: {error}") from error
            if not whole or (isinstance(raw, dict) and "sessions" in raw):
                yield file, raw


def _require_known_episodes(path: Path, case: Case) -> None:
    """Raises ConfigurationError where something names an episode or a tenant that is not there."""
    names = [turn.episode for _, turn in case.turns]
    if len(set(names)) < len(names):
        raise ConfigurationError(f"{path}: two turns have the same episode")
    belong = [
        *((f"/ledger after {look.after}", look.tenant, (look.after,)) for look in case.ledger),
        *((f"/questions {q.id}", q.tenant, q.evidence) for q in case.questions),
        *(
            (f"/forget {o.id}", o.tenant, (*o.gone.episodes, *filter(None, [o.episode])))
            for o in case.forget
        ),
    ]
    belong += [
        (f"/turns {turn.episode}", session.tenant, (gold.concerns,))
        for session, turn in case.turns
        for gold in turn.gold
        if gold.concerns is not None
    ]
    for place, tenant, episodes in belong:
        for episode in episodes:
            if case.tenant_of.get(episode) != tenant:
                raise ConfigurationError(f"{path}: {place}: '{tenant}' has no episode '{episode}'")
