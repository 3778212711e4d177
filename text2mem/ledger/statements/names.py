"""Whom and what a statement is about, under the names that the ledger uses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from text2mem.ir.mentions import ME, is_pronoun, mention
from text2mem.ir.naming import fold, is_pattern
from text2mem.ir.ports import Embedder
from text2mem.ir.record import Record
from text2mem.ledger.candidate import Known
from text2mem.ledger.episode import Episode, speaker

_ALIKE = 0.74
"""From which cosine on two names mean the same: below it "postal address" is an email's."""


@dataclass
class Names:
    """The names in use, as one reading knows them."""

    episode: Episode
    known: Known
    embedder: Embedder | None = None

    @cached_property
    def speaker(self) -> str:
        """Who says "I", folded."""
        return speaker(self.episode)

    def subject(self, words: str) -> str:
        """The subject that words name: who speaks, somebody known, a relative, a thing.

        A relative whose name is known goes by it, and a pronoun by whom the talk was last about.
        """
        if is_pronoun(words) and self.last is not None:
            return self.last
        said = mention(words)
        if fold(said.noun) in (ME, self.speaker):
            return self.speaker
        noun = fold(said.noun)
        if said.owner is None:
            return noun
        owner = self.speaker if said.owner == ME else self.subject(said.owner)
        for fact in self.known.facts(subject=owner, attribute=noun):
            if isinstance(fact.value, str):
                return fold(fact.value)
        return f"{owner}_{noun}"

    @cached_property
    def last(self) -> str | None:
        """Whom or what the last turns stated something of, beside who speaks."""
        told = (fact.subject for turn in reversed(self.known.before()) for fact in turn.facts)
        return next((subject for subject in told if subject and subject != self.speaker), None)

    def attribute(self, words: str, subject: str) -> str:
        """The attribute that a noun phrase names: in use or declared, else the phrase itself."""
        name = fold(words)
        held = {fold(r.attribute) for r in self.known.facts(subject=subject) if r.attribute}
        for names in (held, self._declared, self._used):
            if name in names:
                return name
        for names in (held, self._declared):
            alike = self._alike(name, sorted(names))
            if alike is not None:
                return alike
        return name

    def held(self, subject: str, attribute: str, old: str) -> Record | None:
        """The fact that a correction or a retraction means, the latest of those that fit.

        It may be another subject's, where nothing of this one fits and one subject's alone does.
        """
        for facts in (self.known.facts(subject=subject), self.known.facts()):
            valued = [r for r in facts if old and fold(str(r.value)) == fold(old)]
            named = [r for r in facts if fold(r.attribute or "") == fold(attribute)]
            for fitting in (valued, named):
                if len({record.subject for record in fitting}) == 1:
                    return fitting[0]
        return None

    @cached_property
    def _declared(self) -> frozenset[str]:
        names = self.known.registry.attributes
        return frozenset(fold(name) for name in names if not is_pattern(name))

    @cached_property
    def _used(self) -> frozenset[str]:
        return frozenset(map(fold, self.known.attributes()))

    def _alike(self, name: str, names: Sequence[str]) -> str | None:
        if self.embedder is None or not names:
            return None
        own, *others = self.embedder.embed(
            [each.replace("_", " ") for each in (name, *names)], kind="query"
        )
        found = [
            (sum(a * b for a, b in zip(own, other, strict=True)), each)
            for other, each in zip(others, names, strict=True)
        ]
        best, nearest = max(found)
        return nearest if best >= _ALIKE else None
