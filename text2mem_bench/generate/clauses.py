"""One step in words: what its templates' names in braces stand for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import cast

from text2mem_bench.generate.language import Language
from text2mem_bench.generate.marks import Marker
from text2mem_bench.generate.model import Slot, Split, Step, Target
from text2mem_bench.generate.templates import Book, Template

_BACK = re.compile(r"<([^<>]+)>")


class Unsayable(LookupError):
    """A template names what the step has no words for."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A step, the template that says it, and that of its extra.

    ``refers`` makes a pronoun of its target, where the sentence has named that before. In ``<>``
    a template has words of its own that refer back: to the target, or, where that is another one
    (``same``), to what was done.
    """

    step: Step
    index: int
    template: Template
    extra: Template | None = None
    refers: str = ""
    same: bool = False

    def values(
        self, words: Language, marker: Marker, more: Mapping[str, str] | None = None
    ) -> dict[str, str]:
        """What each name in braces stands for; every value is made when it is asked for."""
        return cast("dict[str, str]", _Values(self, words, marker, more or {}))

    def told(
        self, words: Language, marker: Marker, more: Mapping[str, str] | None = None
    ) -> list[str]:
        """The turns of the clause's own template. Raises Unsayable."""
        turns = self.template.filled(self.values(words, marker, more))
        about = "target" if self.step.target is not None and not self.same else "args"
        place = f"/{self.index}/{about if about in self.step.instance else 'op'}"
        return [
            _BACK.sub(lambda found: marker(Slot("pronoun", place, found[1])), turn)
            for turn in turns
        ]


class _Values(dict[str, str]):
    """Only what a template names is written, because what is written counts as said."""

    def __init__(
        self, clause: Clause, words: Language, marker: Marker, more: Mapping[str, str]
    ) -> None:
        super().__init__(more)
        self._clause = clause
        self._words = words
        self._marker = marker

    def __missing__(self, name: str) -> str:
        clause, step = self._clause, self._clause.step
        if name == "extra":
            if clause.extra is None:
                return ""
            said = clause.extra.filled(self)[0]
            if step.extra is None or step.extra.pointer in {s.pointer for s in step.slots.values()}:
                return said
            return self._marker(Slot("extra", step.extra.pointer, said))
        if name.removesuffix("_any") in step.named:
            bare = name.removesuffix("_any")
            slot = step.slots[bare]
            return self._words.named(slot, self._marker, indefinite=bare != name)
        if name in step.slots:
            return self._marker(step.slots[name])
        refers = clause.refers or step.refers
        if refers:
            return _of(self._words.pronoun(refers, self._pronoun), name)
        if step.target is None:
            raise Unsayable(name)
        return self._form(step.target, name)

    def _pronoun(self, said: str) -> str:
        return self._marker(Slot("pronoun", f"/{self._clause.index}/target", said))

    def _form(self, target: Target, name: str) -> str:
        """A form of the target. Its parts are marked only where the form is the one asked for."""
        trial = self._words.forms(target, lambda slot: f"\uf000{slot.name}\uf001")
        form = _of(trial, name)
        for part in target.parts.values():
            token = f"\uf000{part.name}\uf001"
            while token in form:
                form = form.replace(token, self._marker(part), 1)
        return form


def _of(forms: Mapping[str, str], name: str) -> str:
    if name not in forms:
        raise Unsayable(name)
    return forms[name]


def clause_for(
    step: Step,
    index: int,
    book: Book,
    split: Split,
    rng: Random,
    *,
    refers: str = "",
    listed: str = "clause",
    inner: bool = False,
) -> Clause | None:
    """A clause of a step from one of its lists; None where the split has none that fits.

    An ``inner`` one is for sentences that bear no colon of its own.
    """

    def fits(template: Template) -> bool:
        if inner and any(colon in template.turns[0] for colon in ":："):
            return False
        return step.extra is None or "extra" in template.places

    template = book.pick(f"{step.wording}/{listed}", split, rng, fits)
    if template is None:
        return None
    extra = None
    if step.extra is not None:
        key = step.extra.key
        extra = book.pick(
            f"{step.wording}/extras/{step.extra.hole}", split, rng, lambda t: t.key in ("", key)
        )
        if extra is None:
            return None
    return Clause(step, index, template, extra, refers)
