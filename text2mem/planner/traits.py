"""Traits: what the planner has to know of an op besides its slots. Each of the twelve has a row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from text2mem.ir.ops import READS


@dataclass(frozen=True, slots=True, kw_only=True)
class Traits:
    """How the planner treats the steps of one op."""

    stores: tuple[str, ...] = ()
    """The slots whose words become part of a memory's text."""
    makes: bool = False
    """Whether its result is memories that do not exist before it has run."""
    reveals: bool = False
    """Whether it may mean archived memories: it reads them, edits them or brings them back."""
    follows_deletion: bool = False
    """Whether it may follow a deletion of the same memory: it erases, brings back or shows it."""
    until_end_of_day: bool = False
    """Whether a day in its times means the end of that day."""
    destroys: bool = False
    """Whether it removes something that was there."""
    asked_as: str = ""
    """If it hides memories: how its names in ``prompts/messages.toml`` begin."""
    confirmed_from: float = 0.0
    """The least probability that a second reading must give to a step that writes.

    Measured on requests of authors outside the training data: of those that change a memory, one in
    eleven has less than .2; of those that only ask, two in three. Of texts to be kept, none of 27
    has less than .5; of the others, two in five.
    """
    makes_vain: frozenset[str] = frozenset()
    """The ops that have no lasting effect if they run before it on the same memory."""


TRAITS: Mapping[str, Traits] = {
    "Encode": Traits(
        stores=("text",), makes=True, follows_deletion=True, until_end_of_day=True,
        confirmed_from=0.5,
    ),
    "Update": Traits(stores=("text", "new", "add"), reveals=True, confirmed_from=0.2),
    "Label": Traits(),
    "Promote": Traits(reveals=True, follows_deletion=True),
    "Demote": Traits(asked_as="put-away"),
    "Merge": Traits(makes=True, destroys=True, asked_as="merge"),
    "Split": Traits(makes=True),
    "Delete": Traits(
        follows_deletion=True, destroys=True, asked_as="delete",
        makes_vain=frozenset({"Update", "Label", "Promote", "Demote", "Expire"}),
    ),
    "Lock": Traits(),
    "Expire": Traits(
        until_end_of_day=True, destroys=True, asked_as="end", makes_vain=frozenset({"Expire"}),
    ),
    **{op: Traits(reveals=True, follows_deletion=True) for op in sorted(READS)},
}  # fmt: skip
