"""What the reader of an episode is shown: the present ledger and the conversation so far."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from functools import cached_property

from text2mem.ir.journal import WITHHELD
from text2mem.ir.ops import AbsoluteRange, ByFilter
from text2mem.ir.ports import Vocabulary
from text2mem.ir.record import Record
from text2mem.ir.registry import Registry
from text2mem.ir.words.naming import name_key
from text2mem.ledger.episode import EPISODE, Episode
from text2mem.ledger.ledger import AT_MOST, Ledger

_BEFORE = 12
"""The most earlier turns of a conversation that are shown."""
_LATELY = timedelta(days=60)
"""The greatest age of such a turn, relative to the episode."""
_REACH = 2_000
"""How many of the newest facts are counted for the names in use."""


class Known:
    """The part of the ledger that the reader of an episode is shown, as its actor may read it."""

    def __init__(self, ledger: Ledger, episode: Episode) -> None:
        self._ledger = ledger
        self._episode = episode

    @cached_property
    def registry(self) -> Registry:
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
        """Facts that hold now, at most 256: of a subject, of an attribute, or of both. Without
        either, the newest facts of the store, the latest changed first."""
        if subject is None and attribute is None:
            return self._all
        return self._ledger.facts(subject=subject, attribute=attribute)

    def knows(self, subject: str) -> bool:
        """Whether the subject has a fact that is not deleted, whenever it holds."""
        return subject in self._names or self._ledger.knows(subject)

    def not_now(self, subject: str, attribute: str) -> Sequence[Record]:
        """Versions that are over or have yet to begin, the latest beginning first, at most 256."""
        return self._ledger.not_now(subject=subject, attribute=attribute)

    def waiting(self) -> Sequence[Record]:
        """Pending facts, the latest first, at most 256."""
        return self._ledger.waiting()

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset(map(name_key, self.subjects()))

    @cached_property
    def _vocabulary(self) -> Vocabulary:
        return self._ledger.view.vocabulary(AT_MOST, facts=_REACH)

    @cached_property
    def _all(self) -> Sequence[Record]:
        newest = self._ledger.view.recent(AT_MOST, facts=True)
        return sorted(newest, key=lambda fact: (fact.updated_at, int(fact.id)), reverse=True)

    @cached_property
    def before(self) -> Sequence[tuple[Episode, Sequence[Record]]]:
        """The earlier turns of the session, if there is one, at most 12, the latest last; each with
        the facts that were read out of it, whether they hold or not."""
        session = self._episode.session
        if session is None:
            return ()
        own_id = int(self._episode.id)
        lately = AbsoluteRange(self._episode.at - _LATELY, self._episode.at)
        target = ByFilter(
            type=EPISODE, facets={"session": session}, time_range=lately, limit=4 * _BEFORE
        )
        # A turn of another owner does not count, even if it names this session. A turn that states
        # something the policy denies is not shown again.
        rows = [
            row for row in self._ledger.rows(target)
            if int(row.id) < own_id and row.owner == self._episode.owner
            and not row.facets.get(WITHHELD)
        ][:_BEFORE]  # fmt: skip
        facts = self._ledger.heard_in([row.id for row in rows])
        return tuple(
            (Episode.of(row, self._episode.tz), facts[row.id])
            for row in sorted(rows, key=lambda row: (row.when, int(row.id)))
        )
