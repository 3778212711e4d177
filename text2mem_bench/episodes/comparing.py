"""How a score compares: subjects, attributes, values and days (fixtures/episodes/README.md)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from text2mem.ir.registry import Attribute, Registry
from text2mem.ir.times.written_dates import read_date
from text2mem.ir.values import UnfitValue, canonical
from text2mem.ir.words.naming import name_key
from text2mem_bench.episodes.cases import Case

Key = tuple[str, str, str]
"""Subject, attribute and value as they are compared."""

_ARTICLE = re.compile(r"^(an?|the) ")


def plain(attribute: Attribute, value: Any, registry: Registry) -> str:
    """A value as it is compared: normalised, a day as ISO 8601, a text folded.

    Numbers are compared as numbers, also where one of them stands as a text.
    """
    with suppress(UnfitValue):  # what is no value of the attribute is compared as it stands
        value = registry.normalise(attribute, value)
    if not isinstance(value, str):
        return canonical(value)
    day = read_date(value)
    if day is not None:
        return day.isoformat()
    folded = unicodedata.normalize("NFKC", value).casefold().strip().removesuffix(".")
    return _ARTICLE.sub("", folded)


@dataclass(slots=True)
class Comparison:
    """Compares what was found in a dialogue with what was expected of it."""

    case: Case
    _subjects: Mapping[str, str] = field(init=False)
    _attributes: Mapping[str, str] = field(init=False)
    _values: dict[str, Mapping[str, str]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        aliases = self.case.aliases
        self._subjects = _folded(aliases.get("subjects", {}))
        self._attributes = _folded(aliases.get("attributes", {}))

    def subject(self, name: Any) -> str:
        """The gold spelling of a subject, folded."""
        name = name_key(str(name))
        return self._subjects.get(name, name)

    def attribute(self, name: str) -> str:
        """The gold spelling of an attribute, folded."""
        for spelled in (name_key(name), name_key(self.case.declared.attribute(name).name)):
            if spelled in self._attributes:
                return self._attributes[spelled]
        return name_key(self.case.declared.attribute(name).name)

    def value(self, attribute: str, value: Any) -> str:
        """A value of an attribute as it is compared, an alias as what it stands for."""
        known = self.case.declared.attribute(self.attribute(attribute))
        if known.name not in self._values:
            spellings = self.case.aliases.get("values", {}).items()
            self._values[known.name] = {
                plain(known, other, self.case.declared): plain(known, gold, self.case.declared)
                for gold, others in spellings
                for other in others
            }
        written = plain(known, value, self.case.declared)
        return self._values[known.name].get(written, written)

    def key(self, subject: str, attribute: str, value: Any) -> Key:
        """What tells one fact from another."""
        return self.subject(subject), self.attribute(attribute), self.value(attribute, value)

    def of(self, stated: Any) -> Key:
        """The key of whatever has a subject, an attribute and a value."""
        return self.key(stated.subject, stated.attribute, stated.value)

    def keys(self, stated: Iterable[Any]) -> set[Key]:
        """The keys of several."""
        return {self.of(each) for each in stated}

    def many(self, attribute: str) -> bool:
        """Whether an attribute may have several values at once."""
        return self.case.declared.attribute(self.attribute(attribute)).cardinality == "many"

    def declared(self, attribute: str) -> bool:
        """Whether the registry knows an attribute."""
        return self.case.declared.attribute(self.attribute(attribute)).declared

    def day(self, instant: datetime | None) -> date | None:
        """The day of an instant in the zone of the dialogue; the first of all days is none."""
        if instant is None or instant.year <= 1:
            return None
        return instant.astimezone(self.case.tz).date()


def _folded(spellings: Mapping[str, Iterable[str]]) -> Mapping[str, str]:
    return {
        name_key(other): name_key(gold) for gold, others in spellings.items() for other in others
    }
