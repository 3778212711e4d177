"""Ask: everything that a planner is given for one utterance."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from functools import cached_property

from text2mem.ir.ports import Embedder, Preview, StoreView
from text2mem.ir.turn import Turn
from text2mem.planner.draft import Draft
from text2mem.planner.own_words import OwnWords, own_words
from text2mem.planner.sight import Sight


@dataclass(frozen=True, slots=True)
class Example:
    """An earlier request of the same person, with the draft that was right, and the words in which
    it was told, where it was."""

    request: str
    draft: Draft
    told: str = ""


@dataclass(frozen=True)
class Ask:
    """What is to be planned. ``context`` are earlier turns, the oldest first; ``once`` is an
    earlier request that this one may be like.

    ``store``, ``preview`` and ``embedder`` let the planner look at the store, try programs on it
    and search it by meaning; each is optional.
    """

    utterance: str
    now: datetime
    context: tuple[Turn, ...] = ()
    store: StoreView | None = None
    preview: Preview | None = None
    embedder: Embedder | None = None
    tz: tzinfo = UTC
    once: Example | None = None
    sight: Sight | None = field(default=None, compare=False, repr=False)
    """What is known of the store so far; the same for whatever is made of this by ``replace``."""

    def __post_init__(self) -> None:
        if self.sight is None and self.store is not None:
            object.__setattr__(self, "sight", Sight(self.store, self.embedder))

    @property
    def turns(self) -> tuple[Turn, ...]:
        """What the person said before, without the questions that were asked back."""
        return tuple(turn for turn in self.context if not turn.question)

    @property
    def said(self) -> str:
        """Every word that was said, the turns before it and what it is like included."""
        once = (self.once.request, *self.once.draft.words()) if self.once is not None else ()
        return "\n".join((*once, *(turn.text for turn in self.context), self.utterance))

    @cached_property
    def own(self) -> OwnWords | None:
        """The person's own words for a thing, as the earlier request tells them."""
        once = self.once
        if once is None or not once.told:
            return None
        return own_words(self.utterance, once.request, once.told)

    @property
    def total(self) -> int:
        """How many memories are in sight."""
        return self.sight.visible.matched if self.sight is not None else 0
