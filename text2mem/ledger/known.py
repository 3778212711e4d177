"""What a reading of an episode may know: the ledger as it stands, and the conversation so far."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from functools import cached_property

from text2mem.ir.ops import AbsoluteRange, ByFilter
from text2mem.ir.ports import Vocabulary
from text2mem.ir.record import Record
from text2mem.ir.registry import Registry
from text2mem.ledger.about import WITHHELD
from text2mem.ledger.candidate import Turn
from text2mem.ledger.episode import EPISODE, Episode
from text2mem.ledger.ledger import AT_MOST, Ledger

_BEFORE = 12
"""How many turns of a conversation a reading looks back."""
_LATELY = timedelta(days=60)
"""How far back they may lie."""
_REACH = 2_000
"""Of how many of the newest facts the names in use are told."""


class Known:
    """What the reader of an episode is shown of the ledger: only what the caller's actor may read.

    What is asked for several times is looked up once.
    """

    def __init__(self, ledger: Ledger, episode: Episode) -> None:
        self._ledger = ledger
        self._episode = episode

    @cached_property
    def registry(self) -> Registry:
        """The tenant's registry."""
        return self._ledger.registry

    def subjects(self) -> Sequence[str]:
        """Subjects of facts, the most frequent first, at most 256."""
        return self._vocabulary.subjects

    def attributes(self) -> Sequence[str]:
        """Attributes of facts, the most frequent first, at most 256."""
        return self._vocabulary.attributes

    def facts(
        self, *, subject: str | None = None, attribute: str | None = None
    ) -> Sequence[Record]:
        """Facts that hold now, the latest recorded first, at most 256.

        Without either, the newest of every subject.
        """
        if subject is None and attribute is None:
            return self._all
        return self._ledger.facts(subject=subject, attribute=attribute)

    def waiting(self) -> Sequence[Record]:
        """Facts that wait for a yes or for more evidence, the latest first, at most 256."""
        return self._ledger.waiting()

    @cached_property
    def _vocabulary(self) -> Vocabulary:
        return self._ledger.view.vocabulary(AT_MOST, facts=_REACH)

    @cached_property
    def _all(self) -> Sequence[Record]:
        found = self._ledger.view.recent(AT_MOST, facts=True)
        return sorted(found, key=lambda fact: (fact.updated_at, int(fact.id)), reverse=True)

    @cached_property
    def before(self) -> Sequence[Turn]:
        """The turns of the same conversation before this one, the latest last, at most 12.

        By the session of the episode; without one there are none.
        """
        session = self._episode.session
        if session is None:
            return ()
        here = int(self._episode.id)
        lately = AbsoluteRange(self._episode.at - _LATELY, self._episode.at)
        target = ByFilter(
            type=EPISODE, facets={"session": session}, time_range=lately, limit=4 * _BEFORE
        )
        # Another actor's turn is none of this talk, whatever session it names; what the policy
        # denies was shown once, and is not shown again.
        rows = [
            row
            for row in self._ledger.rows(target)
            if int(row.id) < here
            and row.owner == self._episode.owner
            and not row.facets.get(WITHHELD)
        ][:_BEFORE]
        read = self._ledger.heard_in([row.id for row in rows])
        return tuple(
            Turn(Episode.of(row, self._episode.tz), tuple(read.get(row.id, ())))
            for row in sorted(rows, key=lambda row: (row.when, int(row.id)))
        )
