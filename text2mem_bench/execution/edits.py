"""State diffs: which fields of which memories a program changed, and which it should have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from text2mem.ir.patch import diff
from text2mem_bench.consistency import plain, shown
from text2mem_bench.execution.cases import Changes
from text2mem_bench.running import Memories

NOT_COUNTED = frozenset({"created_at", "schema_version"})
"""What says when a memory was made and under which registry: no program asks for it."""
GONE = "gone"
Edits = Mapping[tuple[str, str], Any]
"""The new value by id and field; ``GONE`` stands for the fields of a memory that was erased."""


@dataclass(frozen=True, slots=True)
class EditScore:
    """Expected against actual edits. ``missing`` and ``unexpected`` say which, in words.

    An edit with another value than the expected one is both.
    """

    expected: int
    actual: int
    right: int
    missing: tuple[str, ...] = ()
    unexpected: tuple[str, ...] = ()

    @property
    def precision(self) -> float:
        """The share of the actual edits that were expected; 1 where nothing was edited."""
        return self.right / self.actual if self.actual else 1.0

    @property
    def recall(self) -> float:
        """The share of the expected edits that were made; 1 where none was expected."""
        return self.right / self.expected if self.expected else 1.0

    @property
    def exact(self) -> bool:
        """Whether just the expected edits were made."""
        return self.right == self.expected == self.actual

    def as_dict(self) -> dict[str, Any]:
        """The score as JSON."""
        return {
            "expected": self.expected, "actual": self.actual, "right": self.right,
            "precision": round(self.precision, 4), "recall": round(self.recall, 4),
            "missing": list(self.missing), "unexpected": list(self.unexpected),
        }  # fmt: skip


def edits_between(before: Memories, after: Memories) -> Edits:
    """What is different after a program; a new memory differs from one whose fields are blank."""
    found: dict[tuple[str, str], Any] = {}
    for id_ in {**before, **after}:
        if id_ not in after:
            found[id_, GONE] = True
            continue
        for change in diff(before.get(id_), after[id_]):
            if change.field not in NOT_COUNTED:
                found[id_, change.field] = change.after
    return found


def stated_edits(changes: Changes) -> Edits:
    """The edits that a case states."""
    found: dict[tuple[str, str], Any] = {}
    for id_, fields in changes.items():
        if fields is None:
            found[id_, GONE] = True
        else:
            found.update({(id_, name): value for name, value in fields.items()})
    return found


def compare(expected: Edits, actual: Edits) -> EditScore:
    """How far two sets of edits agree, values included."""
    right = {
        place for place in expected
        if place in actual and plain(expected[place]) == plain(actual[place])
    }  # fmt: skip
    return EditScore(
        len(expected), len(actual), len(right),
        tuple(_words(place, value) for place, value in expected.items() if place not in right),
        tuple(_words(place, value) for place, value in actual.items() if place not in right),
    )  # fmt: skip


def _words(place: tuple[str, str], value: Any) -> str:
    id_, field = place
    return f"memory {id_}: gone" if field == GONE else f"memory {id_}: {field} = {shown(value)}"
