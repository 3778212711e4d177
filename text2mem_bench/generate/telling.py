"""Requests: how the steps of a case are put into words, by family.

Templates are chosen first; ``Telling.write`` then gives the turns as often as they are wanted, with
this or that slot said vaguely.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from text2mem_bench.generate.clauses import Clause, clause_for
from text2mem_bench.generate.language import Language
from text2mem_bench.generate.marks import Marker
from text2mem_bench.generate.model import Family, Split, Step
from text2mem_bench.generate.templates import Book, Template
from text2mem_bench.generate.world import World

_FRAMES = "frames"
_NOT_SHOWN = ("update.restore", "update.unarchive")
"""Seeds whose memories an assistant would not find when it is asked for them."""
LETTERS = "abcd"


@dataclass(frozen=True, slots=True)
class Teller:
    """What requests are made with."""

    words: Language
    book: Book
    split: Split
    rng: Random
    world: World

    def frame(self, name: str) -> Template | None:
        """A frame of the split."""
        return self.book.pick(f"{_FRAMES}/{name}", self.split, self.rng)

    def clause(
        self,
        step: Step,
        index: int = 0,
        *,
        refers: str = "",
        listed: str = "clause",
        inner: bool = False,
    ) -> Clause | None:
        """A clause of the split."""
        return clause_for(
            step, index, self.book, self.split, self.rng, refers=refers, listed=listed, inner=inner
        )

    def clauses(self, steps: Sequence[Step], refers: str = "") -> list[Clause] | None:
        """A clause of each step, in a frame; None where the split has none for one of them."""
        found = [
            self.clause(step, n, refers=refers and (step.refers or refers), inner=True)
            for n, step in enumerate(steps)
        ]
        kept = [clause for clause in found if clause is not None]
        return kept if len(kept) == len(steps) else None


@dataclass(frozen=True, slots=True)
class Telling:
    """A request to be told: its templates, whether it is direct, and how its turns are written.

    ``write`` gives the turns, the last one being the request, in marked text.
    """

    templates: tuple[Template, ...]
    indirect: bool
    write: Callable[[Marker], Sequence[str]]
    setup: tuple[Mapping[str, object], ...] = ()

    @property
    def id(self) -> str:
        """The ids of the templates, as one."""
        return "+".join(template.id for template in self.templates)


def told(teller: Teller, steps: Sequence[Step], family: Family) -> Telling | None:
    """A request of a family for the steps; None where the split has no words for it."""
    if len(steps) > 1:
        return _workflow(teller, steps, family)
    (step,) = steps
    listed = {"operational": "indirect", "inquiry": "inquiry", "conditional": "conditional",
              "interactive": "interactive"}[family]  # fmt: skip
    own = family != "operational" or teller.rng.random() < 0.45
    has_own = bool(teller.book.some(f"{step.wording}/{listed}", teller.split))
    if own and has_own and (family != "interactive" or teller.rng.random() < 0.7):
        return _own(teller, step, listed)
    if family == "interactive":
        return _referring(teller, (step,))
    if family == "conditional":
        return _conditional(teller, (step,))
    name = "direct" if family == "operational" else "inquiry"
    return _framed(teller, step, name, indirect=family == "inquiry")


def _own(teller: Teller, step: Step, listed: str) -> Telling | None:
    """A request from a list of the seed's own, made for the family."""
    clause = teller.clause(step, listed=listed)
    if clause is None:
        return None
    asks = step.instance["op"] in ("Retrieve", "Summarize")
    indirect = listed == "indirect" or (listed == "inquiry" and not asks)
    found = teller.words.found([teller.world.memory(id_).text for id_ in step.ids or ()])
    return Telling(
        (clause.template,), indirect,
        lambda marker: clause.told(teller.words, marker, {"found": found}),
    )  # fmt: skip


def _framed(teller: Teller, step: Step, name: str, *, indirect: bool) -> Telling | None:
    """A clause in a frame."""
    frame, clause = teller.frame(name), teller.clause(step, inner=indirect)
    if frame is None or clause is None:
        return None
    return Telling(
        (frame, clause.template), indirect,
        lambda marker: frame.filled({"clause": clause.told(teller.words, marker)[0]}),
    )  # fmt: skip


def _conditional(teller: Teller, steps: Sequence[Step]) -> Telling | None:
    """An "if" that takes one condition of the first step's target."""
    first = steps[0]
    if first.target is None or not first.target.condition:
        return None
    indirect = len(steps) == 1 and teller.rng.random() < 0.35
    name = "conditional2" if len(steps) == 2 else "conditional"
    frame = teller.frame("conditional_indirect" if indirect else name)
    kept = teller.clauses(steps, "memories")
    if frame is None or kept is None:
        return None

    def write(marker: Marker) -> list[str]:
        more = _lettered(kept, teller.words, marker)
        return Clause(first, 0, frame).told(teller.words, marker, more)

    return Telling((frame, *(clause.template for clause in kept)), indirect, write)


def _referring(teller: Teller, steps: Sequence[Step]) -> Telling | None:
    """A conversation in which the memories have been shown, and are then "it" or "them"."""
    first = steps[0]
    target = first.target
    if target is None or not target.ids or first.seed in _NOT_SHOWN or first.named:
        return None
    if first.instance["op"] == "Retrieve":
        return None
    indirect = len(steps) == 1 and teller.rng.random() < 0.35
    opening, listing = teller.frame("openings"), teller.frame("listing")
    name = "pronoun_indirect" if indirect else "pronoun2" if len(steps) == 2 else "pronoun"
    frame = teller.frame(name)
    kept = teller.clauses(steps, "memory" if target.single else "memories")
    if opening is None or listing is None or frame is None or kept is None:
        return None
    found = teller.words.found([teller.world.memory(id_).text for id_ in target.ids])

    def write(marker: Marker) -> list[str]:
        asked = Clause(first, 0, opening).told(teller.words, marker)[0]
        more = _lettered(kept, teller.words, marker)
        return [asked, listing.filled({"found": found})[0], frame.filled(more)[0]]

    return Telling((opening, frame, *(clause.template for clause in kept)), indirect, write)


def _workflow(teller: Teller, steps: Sequence[Step], family: Family) -> Telling | None:
    """Several clauses in a frame."""
    if family == "conditional":
        return _conditional(teller, steps) if len(steps) == 2 else None
    if family == "interactive":
        return _referring(teller, steps) if len(steps) == 2 else None
    name = f"workflow{len(steps)}"
    indirect = family == "inquiry" or (len(steps) < 4 and teller.rng.random() < 0.3)
    if family == "inquiry":
        name += "_inquiry"
    elif indirect:
        name += "_indirect"
    frame = teller.frame(name)
    kept = teller.clauses(steps)
    if frame is None or kept is None:
        return None
    return Telling(
        (frame, *(clause.template for clause in kept)), indirect,
        lambda marker: frame.filled(_lettered(kept, teller.words, marker)),
    )  # fmt: skip


def _lettered(clauses: Sequence[Clause], words: Language, marker: Marker) -> dict[str, str]:
    """The clauses by the letters, and the first by the name, that frames have for them."""
    said = {letter: c.told(words, marker)[0] for letter, c in zip(LETTERS, clauses, strict=False)}
    return {**said, "clause": said["a"]}
