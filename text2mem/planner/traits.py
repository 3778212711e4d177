"""What the planner has to know of an op besides its slots: one row for each of the twelve."""

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
    """The memories that it results in do not exist before it has run."""
    reveals: bool = False
    """It may mean archived memories as well: it reads them, edits them or brings them back."""
    follows_deletion: bool = False
    """It may come after a deletion of the same memory, which it erases, brings back or shows."""
    until_end_of_day: bool = False
    """Where a day is said, it means the end of that day."""
    destroys: bool = False
    """Something that was there is gone after it."""
    asked_as: str = ""
    """The beginning of its messages in ``prompts/messages.toml`` where it hides memories."""
    confirmed_from: float = 0.0
    """The least probability that a second reading must give to one that writes: of requests of
    authors kept apart one in eleven that change a memory has less than .2, and two in three of
    those that only ask; of what is to be kept none of 27 has less than .5, and two in five."""
    makes_vain: frozenset[str] = frozenset()
    """The ops that had no lasting effect if they ran before it on the same memory."""


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
