"""Picked: compare the memories that a reader picked for a step with the request's own words."""

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
"""The least number of characters with which old words identify a memory."""


@dataclass(frozen=True)
class Picked:
    """The ``records`` that a reader picked for a step that writes, beside all that the store holds.
    Their words are independent of the reader, so they can contradict what it made up."""

    step: Step
    records: Sequence[Record]
    said: str
    """The request without a text that it brings along."""
    everything: Sequence[Record]
    """The memories that were looked at."""
    vector: Sequence[float] | None
    """The vector of the request; None without an embedder."""
    vectors: Mapping[str, Sequence[float]]
    """The vectors of memories by id."""
    own: Sequence[float] | None = None
    """The vector of the step's own words."""
    plain: Sequence[tuple[str, Sequence[float] | None]] = ()
    """If the person has own words for a thing: the request and the step's words with these replaced
    by the usual ones, each with its vector."""
    fellows: Sequence[Record] = ()
    """Those that other steps of this op pick: "delete leg 1 and leg 2" may be two steps."""

    @property
    def borne_out(self) -> float:
        """The probability that words of the request mean the picked memories: the lowest of them,
        under the wording (the whole request, or the step's words) that fits best."""
        return max(meant for meant, _ in self._by_wording)

    @property
    def margin(self) -> float:
        """The difference in log-odds between the picked memories and the likeliest other visible
        one, under the wording for which it is largest."""
        return max(odds(meant) - odds(other) for meant, other in self._by_wording)

    @cached_property
    def _by_wording(self) -> Sequence[tuple[float, float]]:
        """For each wording: the probabilities that it means the picked memories and the likeliest
        other one. Wordings are the whole request, the step's own words, and both in usual words."""
        wordings = [(self.said, self.vector), (self._about, self.own), *self.plain]
        return [self._fits(words, vector) for words, vector in wordings if words]

    def _fits(self, words: str, vector: Sequence[float] | None) -> tuple[float, float]:
        """The lowest probability of a picked memory under some words, and the highest of another
        visible one. Each of several is scored without the words that only the others say."""
        together = (*self.records, *self.fellows)
        held = {record.id: terms_of(search_text(record)) for record in together}
        rest = [record for record in self.everything if record.id not in held]
        meant, other = 1.0, 0.0
        for record in self.records:
            others = frozenset().union(*held.values()) - held[record.id]
            own_words = without(words, others) if len(held) > 1 else words
            fits = there(own_words or words, [record, *rest], vector, self.vectors)
            meant = min(meant, fits[record.id])
            seen = [fits[r.id] for r in rest if not r.away]
            other = max([other, *seen])
        return meant, other

    @cached_property
    def _about(self) -> str:
        """The words by which the reader says it found the memories, if the request says them."""
        words = self.step.words("about")
        return "" if novel(words, self.said) else words

    def rivals(self, earlier: Collection[str]) -> tuple[Record, ...]:
        """The memories that may be meant as well. ``earlier`` are ids that earlier turns named."""
        fellows = {record.id for record in self.fellows}
        others = [r for r in self.everything if not (r.away or r.id in fellows)]
        old = fold(self.step.words("old"))
        saying = [record for record in others if old in fold(record.text)]
        if len(old) >= _TELLING and not any(old in fold(r.text) for r in self.records):
            # No picked memory holds the old words: those that do are the rivals.
            return tuple(saying) if self.step.op == "Update" else ()
        if len(self.records) != 1 or self.records[0].id in earlier:
            return ()
        # If the person said the old words, only memories that hold them can be rivals.
        pool = saying if old in fold(self.said) else others
        return tuple(record for record, nearer in self.twins(pool) if nearer < TWINS)

    def twins(self, pool: Sequence[Record]) -> Sequence[tuple[Record, float]]:
        """The memories of ``pool`` that hold all words of request and step that the picked one has,
        each with how much nearer that one is, the nearest first."""
        (meant,) = self.records
        words, vector = self.plain[0] if self.plain else (self.said, self.vector)
        found = twins(words, meant, pool, vector, self.vectors)
        if not self._about:
            return found
        alike = [record.id for record, _ in twins(self._about, meant, pool, None, {})]
        return [(record, nearer) for record, nearer in found if record.id in alike]
