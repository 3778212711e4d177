"""Ask: everything that a planner is given for one utterance, and what is legal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from functools import cached_property
from typing import Any

from text2mem.ir.diagnostic import Diagnostic
from text2mem.ir.ops import Op
from text2mem.ir.ports import Embedder, Preview, StoreView
from text2mem.ir.turn import Turn
from text2mem.planner.draft import Draft
from text2mem.planner.own_words import OwnWords, own_words
from text2mem.planner.sight import Sight


@dataclass(frozen=True, slots=True)
class Example:
    """An earlier request of the person with its correct draft. ``told`` says it in other words."""

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
    """What was asked of the store so far. Copies made by ``replace`` share it."""

    def __post_init__(self) -> None:
        if self.sight is None and self.store is not None:
            object.__setattr__(self, "sight", Sight(self.store, self.embedder))

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The earlier turns of the person, without the questions that were asked back."""
        return tuple(turn for turn in self.context if not turn.question)

    @property
    def said(self) -> str:
        """The utterance, the earlier turns, and the similar request with its draft, as one text."""
        once = (self.once.request, *self.once.draft.words()) if self.once is not None else ()
        return "\n".join((*once, *(turn.text for turn in self.context), self.utterance))

    @cached_property
    def own_words(self) -> OwnWords | None:
        """The person's own words for a thing, if the earlier request explains some."""
        once = self.once
        if once is None or not once.told:
            return None
        return own_words(self.utterance, once.request, once.told)

    @property
    def named_last(self) -> tuple[str, ...]:
        """The ids of the latest turn that names memories."""
        return next((turn.ids for turn in reversed(self.context) if turn.ids), ())

    @property
    def total(self) -> int:
        """How many memories are visible."""
        return self.sight.visible.matched if self.sight is not None else 0


@dataclass(frozen=True, slots=True)
class Language:
    """What is legal, for a planner that knows neither validator nor parser. ``check`` lists what is
    wrong with raw instances, ``parse`` types them."""

    check: Callable[[list[Any]], Sequence[Diagnostic]]
    parse: Callable[[list[Any]], Sequence[Op]]

    def errors(self, instances: list[Any]) -> tuple[Diagnostic, ...]:
        """The errors that make instances illegal."""
        return tuple(d for d in self.check(instances) if d.severity == "error")
