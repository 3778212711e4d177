"""Stores and cases of the wild bench: JSON lines, read with errors that name file and line.

A case says what satisfies whoever asked: which memories differ afterwards and how, which are new,
what is read, and whether asking back is right (docs/bench/wild.md).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, AwareDatetime, Field, ValidationError, model_validator

from text2mem.errors import ConfigurationError
from text2mem.ir.ops import OPS, OnExpire
from text2mem.settings import read_zone
from text2mem_bench.lines import rows
from text2mem_bench.wild.checks import Check, Checks, Id, New, Text, Written

W = TypeVar("W", bound=Written)
_GUIDE = "docs/bench/wild.md says how they are written"


# --- stores --------------------------------------------------------------------------------


class Reminder(Written):
    """A reminder of a stored memory: once, or by a rule of RFC 5545 read in the store's zone."""

    at: AwareDatetime | None = None
    rrule: Text | None = None

    @model_validator(mode="after")
    def _one(self) -> Reminder:
        if (self.at is None) == (self.rrule is None):
            raise ValueError("a reminder has 'at' or 'rrule'")
        return self


class StoredMemory(Written):
    """A memory as it is when a request comes; ids are ``"1"``, ``"2"`` … in order."""

    id: Id
    created: AwareDatetime
    text: Text
    tags: tuple[Text, ...] = ()
    type: Text | None = None
    subject: Text | None = None
    time: AwareDatetime | None = None
    weight: Annotated[float, Field(ge=0, le=1)] | None = None
    archived: bool = False
    deleted: bool = False
    lock: Literal["read_only", "append_only"] | None = None
    remind: Reminder | None = None
    expire_at: AwareDatetime | None = None
    expire_action: OnExpire = "soft_delete"


def _zone(name: str) -> str:
    try:
        read_zone(name)
    except ConfigurationError as error:
        raise ValueError(str(error)) from error
    return name


class Store(Written):
    """What somebody has kept, and the instant and zone at which they ask."""

    store: Text
    lang: Text
    now: AwareDatetime
    tz: Annotated[str, AfterValidator(_zone)]
    person: str = ""
    memories: tuple[StoredMemory, ...]

    @model_validator(mode="after")
    def _in_order(self) -> Store:
        for place, memory in enumerate(self.memories, 1):
            if memory.id != str(place):
                raise ValueError(f"memory {place} has the id '{memory.id}'")
            if memory.created > self.now:
                raise ValueError(f"memory {memory.id} is created after now")
        return self

    @property
    def instant(self) -> datetime:
        """The instant of the requests, in UTC."""
        return self.now.astimezone(UTC)

    @property
    def zone(self) -> tzinfo:
        """The zone of whoever asks."""
        return read_zone(self.tz)

    @property
    def ids(self) -> frozenset[str]:
        """The ids of its memories."""
        return frozenset(memory.id for memory in self.memories)


# --- cases ---------------------------------------------------------------------------------


class Joined(Written):
    """Several memories that become one: one of them, or a new one, for which ``left`` holds.

    The others are gone or archived.
    """

    ids: Annotated[tuple[Id, ...], Field(min_length=2)]
    left: Checks


class Cut(Written):
    """A memory that becomes several: new ones, of which the old one may hold one.

    An old one that holds none of them is gone or archived.
    """

    id: Id
    parts: Annotated[tuple[New, ...], Field(min_length=2)]


class Outcome(Written):
    """One outcome that satisfies whoever asked. ``may_change`` maps ids to what still holds."""

    changes: Mapping[Id, Checks] = Field(default_factory=dict)
    may_change: Mapping[Id, Checks] = Field(default_factory=dict)
    new: tuple[New, ...] = ()
    may_new: bool = False
    joined: Joined | None = None
    cut: Cut | None = None

    @model_validator(mode="before")
    @classmethod
    def _listed(cls, raw: Any) -> Any:
        if isinstance(raw, dict) and isinstance(raw.get("may_change"), list):
            return {**raw, "may_change": {id_: [] for id_ in raw["may_change"]}}
        return raw

    @property
    def named(self) -> Iterator[str]:
        """Every id that it names."""
        yield from (*self.changes, *self.may_change)
        yield from () if self.joined is None else self.joined.ids
        yield from () if self.cut is None else (self.cut.id,)


class Reads(Written):
    """Which memories an answer returns or cites: each of ``must``, of others those of ``may``."""

    must: tuple[Id, ...] = ()
    may: tuple[Id, ...] = ()


class Learnt(Written):
    """What a person said once with a word of their own, and how they then said it in others'."""

    request: Text
    told: Text


class Case(Outcome):
    """A request, what was meant by it, and every outcome that is right."""

    id: Text
    store: Text
    lang: Text
    kind: Text
    before: tuple[Text, ...] = ()
    learnt: Learnt | None = None
    request: Text
    meant: str
    ops: tuple[tuple[str, ...], ...] | None = None
    reads: Reads | None = None
    ask: Literal["must", "may", "no"]
    others: tuple[Outcome, ...] = Field(default=(), alias="or")

    @model_validator(mode="after")
    def _makes_sense(self) -> Case:
        strange = [op for ops in self.ops or () for op in ops if op not in OPS]
        if strange:
            raise ValueError(f"there is no op '{strange[0]}'")
        if self.ask == "must" and any(end.does_something for end in self.ends):
            raise ValueError("it must be asked back, and yet something changes")
        return self

    @property
    def every_id(self) -> frozenset[str]:
        """Every id that it names."""
        read = () if self.reads is None else (*self.reads.must, *self.reads.may)
        return frozenset([*self.named, *read, *(i for one in self.others for i in one.named)])

    @cached_property
    def ends(self) -> tuple[End, ...]:
        """Every way in which the store may stand afterwards."""
        return tuple(end for one in (self, *self.others) for end in _ends(one))


@dataclass(frozen=True, slots=True)
class Made:
    """A memory that is to be new: its checks, and the words of a ``New``."""

    checks: Checks = ()
    new: New | None = None


@dataclass(frozen=True, slots=True)
class End:
    """One way in which a store may stand: the checks of each memory that is to change.

    Those of ``settled`` may also be as they were; ``may`` says what holds of memories that may
    change or not.
    """

    changes: Mapping[str, Checks] = field(default_factory=dict)
    settled: frozenset[str] = frozenset()
    may: Mapping[str, Checks] = field(default_factory=dict)
    new: tuple[Made, ...] = ()
    may_new: bool = False

    @property
    def does_something(self) -> bool:
        """Whether an untouched store is not it."""
        return bool(self.changes or self.new)


PUT_BY: Checks = (Check.model_validate({"any": [[{"gone": True}], [{"archived": True}]]}),)
"""Of a memory whose content stands elsewhere now."""


def _ends(outcome: Outcome) -> Iterator[End]:
    joined = [None] if outcome.joined is None else list(_joined(outcome.joined))
    cut = [None] if outcome.cut is None else list(_cut(outcome.cut))
    for one, two in product(joined, cut):
        parts = [part for part in (one, two) if part is not None]
        yield End(
            changes={**outcome.changes, **{k: v for p in parts for k, v in p.changes.items()}},
            settled=frozenset(id_ for part in parts for id_ in part.settled),
            may=outcome.may_change,
            new=(*(Made(new=new) for new in outcome.new), *(n for part in parts for n in part.new)),
            may_new=outcome.may_new,
        )


def _joined(joined: Joined) -> Iterator[End]:
    for kept in joined.ids:
        others = {id_: PUT_BY for id_ in joined.ids if id_ != kept}
        yield End({kept: joined.left, **others}, frozenset({kept}))
    yield End({id_: PUT_BY for id_ in joined.ids}, new=(Made(joined.left),))


def _cut(cut: Cut) -> Iterator[End]:
    yield End({cut.id: PUT_BY}, new=tuple(Made(new=part) for part in cut.parts))
    for place, part in enumerate(cut.parts):
        rest = (*cut.parts[:place], *cut.parts[place + 1 :])
        yield End({cut.id: held(part)}, new=tuple(Made(new=other) for other in rest))


def held(new: New) -> Checks:
    """What holds of an old memory that is to be what a new one might be."""
    said: list[dict[str, Any]] = [
        *([{"text_has": new.has}] if new.has else ()),
        *([{"text_has_not": new.has_not}] if new.has_not else ()),
        {"gone": False},
        {"archived": False},
    ]
    return (*(Check.model_validate(each) for each in said), *new.wanted())


# --- files ---------------------------------------------------------------------------------


def read_stores(path: str | Path) -> dict[str, Store]:
    """The stores of a file by name. Raises ConfigurationError with the line that is wrong."""
    found: dict[str, Store] = {}
    for number, store in _read(path, Store, "a store"):
        if store.store in found:
            raise ConfigurationError(f"{path}, line {number}: '{store.store}' stands twice")
        found[store.store] = store
    return found


def read_cases(path: str | Path, stores: Mapping[str, Store]) -> list[Case]:
    """The cases of a file. Raises ConfigurationError with the line that is wrong.

    Every store and every memory that a case names has to be there.
    """
    found: dict[str, Case] = {}
    for number, case in _read(path, Case, "a case"):
        wrong = _absent(case, stores) or (f"'{case.id}' stands twice" if case.id in found else "")
        if wrong:
            raise ConfigurationError(f"{path}, line {number}: {wrong}")
        found[case.id] = case
    return list(found.values())


def read_drafts(path: str | Path) -> dict[str, Any]:
    """Recorded drafts by the id of their case: ``{"id", "draft"}`` a line.

    Raises ConfigurationError.
    """
    return {str(row["id"]): row["draft"] for _, row in rows(path)}


def _absent(case: Case, stores: Mapping[str, Store]) -> str:
    if case.store not in stores:
        return f"there is no store '{case.store}'"
    strange = sorted(case.every_id - stores[case.store].ids, key=int)
    return f"{case.store} has no memory '{strange[0]}'" if strange else ""


def _read(path: str | Path, model: type[W], what: str) -> Iterator[tuple[int, W]]:
    for number, row in rows(path):
        try:
            yield number, model.model_validate(row)
        except ValidationError as error:
            said = "; ".join(_told(one) for one in error.errors(include_url=False)[:3])
            raise ConfigurationError(
                f"{path}, line {number}: not {what}: {said}", hint=_GUIDE
            ) from error


def _told(one: Any) -> str:
    at = ".".join(str(part) for part in one["loc"])
    said = str(one["msg"]).removeprefix("Value error, ")
    return f"{at}: {said}" if at else said
