"""What is to hold of one memory after a request, as a fixture writes it.

docs/bench/wild.md says what each check means.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from text2mem.ir.ops import OnExpire

Id = Annotated[str, Field(pattern=r"^[1-9][0-9]*$")]
Text = Annotated[str, Field(min_length=1)]
Words = tuple[Text | tuple[Text, ...], ...]
"""Each of them, or one of those that stand together."""


class Written(BaseModel):
    """An object of a fixture: frozen, and no key that means nothing."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def _local(text: str) -> str:
    """A local date, ``2026-03-04``, or minute, ``2026-03-04T10:30``."""
    read = datetime.fromisoformat(text)
    if read.tzinfo is not None or read.strftime("%Y-%m-%dT%H:%M")[: len(text)] != text:
        raise ValueError(f"'{text}' is no local date or minute")
    return text


Local = Annotated[str, AfterValidator(_local)]
When = Local | tuple[Local, ...]
"""A local date or minute, or several of which one is it."""


class Check(Written):
    """Everything that one object of a fixture asks of a memory; mostly one thing."""

    text_has: Words | None = None
    text_has_not: tuple[Text, ...] | None = None
    tags_have: tuple[Text, ...] | None = None
    tags_lack: tuple[Text, ...] | None = None
    deleted: bool | None = None
    gone: bool | None = None
    erased: bool | None = None
    archived: bool | None = None
    weight: Literal["up", "down"] | None = None
    locked: Literal["read_only", "append_only"] | None = None
    lock_until: When | None = None
    remind: Literal[True] | None = None
    remind_at: When | None = None
    rrule_has: tuple[Text, ...] | None = None
    rings: tuple[Local | None, ...] | None = None
    expires: When | None = None
    expire_action: OnExpire | tuple[OnExpire, ...] | None = None
    returns: When | None = None
    time: When | None = None
    parent: Id | None = None
    any: tuple[tuple[Check, ...], ...] | None = None

    @model_validator(mode="after")
    def _asks_something(self) -> Check:
        if not self.asked:
            raise ValueError("a check that asks nothing")
        empty = [n for n in self.asked if getattr(self, n) is None and n not in _MAY_BE_NULL]
        if empty:
            raise ValueError(f"'{empty[0]}' is null")
        return self

    @property
    def asked(self) -> tuple[str, ...]:
        """The names of what is asked; null is an answer where it means "none"."""
        return tuple(name for name in type(self).model_fields if name in self.model_fields_set)


_MAY_BE_NULL = frozenset({"locked", "remind", "expires", "returns", "time"})
Checks = tuple[Check, ...]


class New(Written):
    """A memory that is to be made. ``has`` may stand in its text, subject, place or topic."""

    has: Words = ()
    has_not: tuple[Text, ...] = ()
    tags: tuple[Text, ...] = ()
    time: When | None = None
    remind: Any = None
    ends: When | None = None
    checks: Checks = ()

    @model_validator(mode="after")
    def _reads(self) -> New:
        self.wanted()
        return self

    def wanted(self) -> Checks:
        """What it asks, ``has`` and ``has_not`` apart, as checks of a memory."""
        asked: list[dict[str, Any]] = []
        if self.tags:
            asked.append({"tags_have": self.tags})
        if self.time is not None:
            asked.append({"time": self.time})
        if "remind" in self.model_fields_set:
            asked.append(_reminder(self.remind))
        if self.ends is not None:
            asked.append({"expires": self.ends})
        return (*(Check.model_validate(each) for each in asked), *self.checks)


def _reminder(said: Any) -> dict[str, Any]:
    """The check of a reminder: one is there, none is, or what it is."""
    if isinstance(said, dict) and len(said) == 1:
        ((key, value),) = said.items()
        return {"remind_at" if key == "at" else str(key): value}
    if said is None or said is True:
        return {"remind": said}
    raise ValueError("'remind' is true, null, or says at, rrule_has or rings")


def every(checks: Sequence[Check]) -> Iterator[Check]:
    """The checks, and those of their alternatives."""
    for check in checks:
        yield check
        for one in check.any or ():
            yield from every(one)
