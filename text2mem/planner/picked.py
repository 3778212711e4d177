"""Picked: what the request's own words say of the memories that a reader picked for a step."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from text2mem.ir.record import Record
from text2mem.ir.words.folding import fold
from text2mem.ir.words.segment import search_text, without
from text2mem.planner.draft import Step
from text2mem.planner.rank import terms_of, there, twins
from text2mem.planner.reader_limits import TWINS
from text2mem.planner.said import novel
from text2mem.planner.trust import odds

_TELLING = 4
"""How many characters of words that are to go tell a memory."""


@dataclass(frozen=True)
class Picked:
    """The ``records`` of a step that writes, beside everything that the store holds.

    A second reader, of another kind: what it contradicts, the first one may have made up.
    """

    step: Step
    records: Sequence[Record]
    said: str
    everything: Sequence[Record]
    vector: Sequence[float] | None
    vectors: Mapping[str, Sequence[float]]
    own: Sequence[float] | None = None
    """The vector of the step's own words."""
    plain: Sequence[tuple[str, Sequence[float] | None]] = ()
    """The request, and the step's words, without the person's own words for a thing, where they
    have any, with their vectors."""
    fellows: Sequence[Record] = ()
    """What other steps do the same to: "delete leg 1 and leg 2" may be written as two."""

    @property
    def borne_out(self) -> float:
        """How likely the words of the request, by themselves, mean each of them: the least. Either
        all of the request, or those of it that the reader says mean them, whichever fit better.
        """
        return max(meant for meant, _ in self._heard)

    @property
    def apart(self) -> float:
        """By how much, in log-odds, the same words mean each of them rather than any other that is
        in sight."""
        return max(odds(meant) - odds(other) for meant, other in self._heard)

    @cached_property
    def _heard(self) -> Sequence[tuple[float, float]]:
        """How likely they and the likeliest other are meant: by all of the request, by the words
        that the reader says it found them by, and by the request in words that everybody knows."""
        told = [(self.said, self.vector), (self._about, self.own), *self.plain]
        return [self._fits(words, vector) for words, vector in told if words]

    def _fits(self, words: str, vector: Sequence[float] | None) -> tuple[float, float]:
        """How likely words mean the least of them, and the likeliest other in sight. Of several
        each is looked at as if it were the only one, without the words that only the others say;
        their ``fellows`` are such others, too."""
        together = (*self.records, *self.fellows)
        held = {record.id: terms_of(search_text(record)) for record in together}
        rest = [record for record in self.everything if record.id not in held]
        meant, other = 1.0, 0.0
        for record in self.records:
            others = frozenset().union(*held.values()) - held[record.id]
            own = without(words, others) if len(held) > 1 else words
            fits = there(own or words, [record, *rest], vector, self.vectors)
            meant = min(meant, fits[record.id])
            seen = [fits[r.id] for r in rest if not r.away]
            other = max([other, *seen])
        return meant, other

    @cached_property
    def _about(self) -> str:
        """The words that the reader says it found them by, where whoever asks has said them."""
        words = self.step.words("about")
        return "" if novel(words, self.said) else words

    def rivals(self, earlier: Collection[str]) -> tuple[Record, ...]:
        """The memories that may be meant as well; ``earlier`` are the ids that turns before spoke
        of."""
        fellows = {record.id for record in self.fellows}
        others = [r for r in self.everything if not (r.away or r.id in fellows)]
        old = fold(self.step.words("old"))
        saying = [record for record in others if old in fold(record.text)]
        if len(old) >= _TELLING and not any(old in fold(r.text) for r in self.records):
            # Those that say the words which are to go, where none that was picked does.
            return tuple(saying) if self.step.op == "Update" else ()
        if len(self.records) != 1 or self.records[0].id in earlier:
            return ()
        # Words that are to go tell a memory where whoever asks has said them.
        pool = saying if old in fold(self.said) else others
        return tuple(record for record, nearer in self.twins(pool) if nearer < TWINS)

    def twins(self, pool: Sequence[Record]) -> Sequence[tuple[Record, float]]:
        """The memories that hold as many of the request's words as the one that was picked, and of
        the words that the reader says it found it by; with how much nearer that one is, the nearest
        first."""
        (meant,) = self.records
        words, vector = self.plain[0] if self.plain else (self.said, self.vector)
        found = twins(words, meant, pool, vector, self.vectors)
        if not self._about:
            return found
        alike = [record.id for record, _ in twins(self._about, meant, pool, None, {})]
        return [(record, nearer) for record, nearer in found if record.id in alike]
