"""The document of an evolution: its steps, and the check for faults."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field
from pydantic import ValidationError as PydanticError

from text2mem.ir.pointers import path_of
from text2mem.ir.registry_document import Fault, Name, illegal
from text2mem.ir.values import ValueType
from text2mem.ir.words.naming import is_pattern, name_key

Part = Annotated[int, Field(ge=-99, le=99)]
"""The number of a part of a text, from 1, or from -1 at the end."""
Pattern = Annotated[str, Field(min_length=1, max_length=500)]
Plain = str | float | bool


class _Closed(BaseModel):
    model_config = ConfigDict(
        extra="forbid", frozen=True, allow_inf_nan=False, populate_by_name=True
    )


class Rename(_Closed):
    """An attribute gets another name."""

    op: Literal["rename"]
    old: Name = Field(alias="from", description="The attribute's name so far.")
    to: Name = Field(description="Its name from now on.")


class Split(_Closed):
    """The text of one attribute becomes the values of several."""

    op: Literal["split"]
    attribute: Name
    into: dict[Name, Part | Pattern] = Field(
        min_length=2,
        description="For each new attribute: a number is that part of the text, counted from 1, or "
        "from -1 at the end; a text is a regular expression, whose first group is taken, or the "
        "whole match if it has none.",
    )
    by: Annotated[str, Field(min_length=1, max_length=20)] | None = Field(
        None, description="What separates the parts; null is blanks."
    )


class Merge(_Closed):
    """Several attributes become one."""

    op: Literal["merge"]
    attributes: tuple[Name, ...] = Field(min_length=2)
    into: Name
    join: Annotated[str, Field(max_length=20)] | None = Field(
        None,
        description="What is put between the values that hold at the same time, in the order of "
        "the attributes; null keeps every value separate.",
    )


class Retype(_Closed):
    """The values of an attribute become values of another type."""

    op: Literal["retype"]
    attribute: Name
    value_type: ValueType
    convert: Literal["number", "date", "text", "boolean"] | dict[str, Plain] | None = Field(
        None,
        description="How they are converted: as values of that type are read, or by a table from "
        "old to new values; null is as value_type.",
    )


Step = Annotated[Rename | Split | Merge | Retype, Field(discriminator="op")]


class Evolution(_Closed):
    """A migration of a tenant's facts to another version of its registry."""

    version: int = Field(ge=1, le=2**53, description="The version of the registry after it.")
    steps: tuple[Step, ...] = Field(min_length=1, description="One after the other.")
    dual_read_until: AwareDatetime | None = Field(
        None,
        description="The instant until which an old and a new name also find the facts of each "
        "other; null is not at all.",
    )
    on_misfit: Literal["refuse", "leave"] = Field(
        "refuse", description="What to do with values that do not fit."
    )
    registry: dict[str, Any] | None = Field(
        None, description="The new registry; null is the present one as the steps change it."
    )

    def as_document(self) -> dict[str, Any]:
        """The evolution as JSON. ``read_evolution`` makes an equal one of it."""
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)


def read_evolution(document: Any) -> Evolution:
    """Parse the document of an evolution. Raise ConfigurationError, which lists every fault."""
    if isinstance(document, Evolution):
        return document
    try:
        read = Evolution.model_validate(document)
    except PydanticError as error:
        # Where a step has a fault, pydantic also calls the list of the steps too short.
        faults = [
            (path_of(fault, document), fault["msg"]) for fault in error.errors()
            if fault["type"] != "too_short" or fault["ctx"]["actual_length"] == len(fault["input"])
        ]  # fmt: skip
        raise illegal("evolution", faults) from error
    if faults := list(_inconsistent(read)):
        raise illegal("evolution", faults)
    return read


def old_and_new(step: Step) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The attributes that a step reads, and those that it writes."""
    if isinstance(step, Rename):
        return (step.old,), (step.to,)
    if isinstance(step, Split):
        return (step.attribute,), tuple(step.into)
    if isinstance(step, Merge):
        return step.attributes, (step.into,)
    return (step.attribute,), (step.attribute,)


def results(evolution: Evolution) -> set[str]:
    """The folded names under which the values of the evolution's attributes are after all steps."""
    final: dict[str, frozenset[str]] = {}
    """The names after the steps seen so far, from the last one on, by the name before them."""
    for old, new in map(old_and_new, reversed(evolution.steps)):
        after = [final.get(name, frozenset([name])) for name in map(name_key, new)]
        final |= dict.fromkeys(map(name_key, old), frozenset[str]().union(*after))
    return set[str]().union(*final.values())


def _inconsistent(read: Evolution) -> Iterator[Fault]:
    """Yield the faults that the schema cannot express."""
    for number, step in enumerate(read.steps):
        old, new = old_and_new(step)
        for name in (*old, *new):
            if is_pattern(name) or not name.strip():
                yield ("steps", number), f"'{name}' is no name of an attribute"
        for names in (old, new):
            if len({name_key(name) for name in names}) < len(names):
                yield ("steps", number), "it names an attribute twice"
        if isinstance(step, Rename) and name_key(step.old) == name_key(step.to):
            yield ("steps", number, "to"), "the same name, but for spelling"
        if isinstance(step, Split):
            if name_key(step.attribute) in map(name_key, step.into):
                yield ("steps", number, "into"), "an attribute is not split into itself"
            yield from _unreadable(step, number)
    if read.registry is not None and read.registry.get("version") != read.version:
        yield ("registry", "version"), f"it is not the evolution's version, {read.version}"


def _unreadable(step: Split, number: int) -> Iterator[Fault]:
    """Yield the parts of a split (step ``number``, from 0) that are 0 or no regular expression."""
    for name, part in step.into.items():
        if part == 0:
            yield ("steps", number, "into", name), "parts are counted from 1, or from -1"
        if isinstance(part, str):
            try:
                re.compile(part)
            except (re.error, OverflowError, RecursionError) as error:
                yield ("steps", number, "into", name), f"no regular expression: {error}"
