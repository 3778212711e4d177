"""Ask: everything that a planner is given for one utterance."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from functools import cached_property

from text2mem.ir.ports import Embedder, Preview, StoreView
from text2mem.ir.turn import Turn
from text2mem.planner.aids import Aids
from text2mem.planner.grounding import Picture, ground
from text2mem.planner.requests import Step, read_steps


@dataclass(frozen=True)
class Ask:
    """What is to be planned. ``context`` are earlier turns.

    ``store``, ``preview`` and ``embedder`` let the planner look at the store, try drafts on it and
    search it by meaning; each is optional.
    """

    utterance: str
    now: datetime
    context: tuple[Turn, ...] = ()
    store: StoreView | None = None
    preview: Preview | None = None
    embedder: Embedder | None = None
    aids: Aids = field(default_factory=Aids)
    tz: tzinfo = UTC

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """The steps of the request, as code reads them."""
        return read_steps(self.utterance, self.context, now=self.now, tz=self.tz)

    @cached_property
    def tags(self) -> tuple[str, ...]:
        """The tags that the store holds, the most frequent first; a large store takes a while."""
        return tuple(self.store.tags()) if self.store is not None else ()

    @cached_property
    def picture(self) -> Picture | None:
        """What of the store the utterance may speak of; None without a store, or ungrounded."""
        if self.store is None or not self.aids.grounding:
            return None
        return ground(self.utterance, self.store, vector=self.vector)

    @cached_property
    def vector(self) -> tuple[float, ...] | None:
        """The utterance as a vector, where there is an embedder."""
        if self.embedder is None:
            return None
        return tuple(self.embedder.embed([self.utterance], kind="query")[0])
