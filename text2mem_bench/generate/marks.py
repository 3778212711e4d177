"""Marks in a text that is being put together: where a slot begins and ends.

They are characters of Unicode's private area, which no language has, and leave with ``parted``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from text2mem_bench.generate.model import Slot

_END = "\ue000"
_BEGIN = 0xE001


@dataclass(frozen=True, slots=True)
class Marked:
    """A slot as it stands in a text: characters ``start`` to ``end`` say it, vaguely or not."""

    slot: Slot
    start: int
    end: int
    vague: bool


@dataclass(slots=True)
class Marker:
    """Writes slots with marks around them; ``hidden`` are the names of those said vaguely."""

    hidden: frozenset[str] = frozenset()
    written: list[tuple[Slot, bool]] = field(default_factory=list)

    def __call__(self, slot: Slot) -> str:
        vague = slot.name in self.hidden and bool(slot.vaguely)
        self.written.append((slot, vague))
        begin = chr(_BEGIN + len(self.written) - 1)
        return f"{begin}{slot.vaguely if vague else slot.said}{_END}"


def parted(text: str, written: Sequence[tuple[Slot, bool]]) -> tuple[str, list[Marked]]:
    """A text without its marks, and the slots that it says."""
    plain: list[str] = []
    begun: list[tuple[int, int]] = []
    marked: list[Marked] = []
    for character in text:
        if character == _END:
            number, start = begun.pop()
            marked.append(Marked(written[number][0], start, len(plain), written[number][1]))
        elif character > _END and character <= "\uf8ff":
            begun.append((ord(character) - _BEGIN, len(plain)))
        else:
            plain.append(character)
    return "".join(plain), marked
