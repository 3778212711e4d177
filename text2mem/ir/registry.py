"""The registry of attributes, memory types and retention classes (docs/ledger.md, "The registry"),
versioned data of which a tenant may set its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, lru_cache
from typing import Any, Literal

from text2mem.ir.ops import OnExpire
from text2mem.ir.times.duration import Duration
from text2mem.ir.values import Normaliser, UnfitValue, ValueType, canonical, normalised
from text2mem.ir.words.naming import is_pattern, matches, name_key

Cardinality = Literal["one", "many"]
Sensitivity = Literal["normal", "personal", "secret"]

CONFIDENCE_FLOOR = 0.3
REMEMBERED = 1024
"""The size of the cache of a registry's look-ups, in names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attribute:
    """The entry of an attribute in the registry (docs/ledger.md, "The registry")."""

    name: str
    """The name under which it is stored; in ``Registry.attributes`` possibly a pattern."""
    declared: bool = True
    """Whether the registry declares it, by name or by a pattern."""
    value_type: ValueType = "any"
    cardinality: Cardinality = "one"
    normaliser: Normaliser = "trim"
    retention: str | None = None
    """The retention class of a fact that names none."""
    sensitivity: Sensitivity = "normal"

    def as_declared(self) -> dict[str, Any]:
        """The entry of a registry document, without values that are the default."""
        settings = {f.name: (getattr(self, f.name), f.default) for f in fields(self)}
        return {
            name: value
            for name, (value, default) in settings.items()
            if name not in ("name", "declared") and value != default
        }


@dataclass(frozen=True, slots=True)
class Retention:
    """A retention class."""

    name: str
    keep: Duration | None
    """How long a memory is kept; None is for ever."""
    on_expire: OnExpire = "soft_delete"


@dataclass(frozen=True)
class Registry:
    """A registry that has been checked."""

    version: int
    confidence_floor: float = CONFIDENCE_FLOOR
    """The confidence below which a fact is pending."""
    attributes: Mapping[str, Attribute] = field(default_factory=dict, hash=False)
    """By declared name or pattern."""
    types: Mapping[str, str | None] = field(default_factory=dict, hash=False)
    """The name of the retention class, or None, of each memory type."""
    retentions: Mapping[str, Retention] = field(default_factory=dict, hash=False)

    @classmethod
    def load(cls, document: Mapping[str, Any]) -> Registry:
        """Return the registry that a document describes (``schema/registry.v1.schema.json``).
        Raises ConfigurationError, which names every fault with its JSON Pointer."""
        from text2mem.ir.registry_document import checked  # imports pydantic, which takes time

        read = checked(document)
        return cls(
            version=read.version,
            confidence_floor=float(read.confidence_floor),
            attributes={
                name: Attribute(name=name, **entry.model_dump())
                for name, entry in read.attributes.items()
            },
            types={name: entry.retention for name, entry in read.types.items()},
            retentions={
                name: Retention(name, Duration.parse(e.keep) if e.keep else None, e.on_expire)
                for name, e in read.retention.items()
            },
        )

    def to_document(self) -> dict[str, Any]:
        """The document from which ``load`` makes an equal registry."""
        return {
            "version": self.version,
            "confidence_floor": self.confidence_floor,
            "retention": {
                name: {"keep": e.keep.isoformat() if e.keep else None, "on_expire": e.on_expire}
                for name, e in self.retentions.items()
            },
            "types": {
                name: {} if retention is None else {"retention": retention}
                for name, retention in self.types.items()
            },
            "attributes": {name: entry.as_declared() for name, entry in self.attributes.items()},
        }

    @cached_property
    def attribute(self) -> Callable[[str], Attribute]:
        """Returns the entry of an attribute: that declared under its name, else under the longest
        pattern that matches, else one with the defaults. Its ``name`` is the one to store: as it is
        declared; folded (``name_key``) under a pattern; else as given, but for blanks around it."""
        exact = {name_key(n): a for n, a in self.attributes.items() if not is_pattern(n)}
        patterns = [(name_key(n), a) for n, a in self.attributes.items() if is_pattern(n)]
        patterns.sort(key=lambda pair: (-len(pair[0]), pair[0]))

        @lru_cache(maxsize=REMEMBERED)
        def find(name: str) -> Attribute:
            folded = name_key(name)
            if folded in exact:
                return exact[folded]
            for pattern, attribute in patterns:
                if matches(pattern, folded):
                    return replace(attribute, name=folded)
            return Attribute(name=name.strip() or name, declared=False)

        return find

    def normalise(self, attribute: Attribute, value: Any) -> Any:
        """Return the value in its stored form. Raises UnfitValue if it is of another type."""
        return normalised(attribute.name, attribute.value_type, attribute.normaliser, value)

    def key(self, attribute: Attribute, value: Any) -> str:
        """Return the key that distinguishes the time lines of one subject and attribute: "" if the
        attribute holds one value, else the canonical JSON of the value, normalised if it fits."""
        if attribute.cardinality == "one":
            return ""
        try:
            return canonical(self.normalise(attribute, value))
        except UnfitValue:
            return canonical(value)

    def retention(
        self, policy: str | None, attribute: Attribute | None, type_: str | None
    ) -> Retention | None:
        """Return the retention class of a memory: that of its ``retention_policy``, else of its
        attribute, else of its type. Names of unknown classes are skipped."""
        by_type = type_ and self._types.get(name_key(type_))
        named = (policy, attribute and attribute.retention, by_type)
        found = (self._retentions.get(name_key(name)) for name in named if name)
        return next(filter(None, found), None)

    def knows_retention(self, name: str) -> bool:
        """Whether there is a retention class of this name (``name_key``)."""
        return name_key(name) in self._retentions

    @cached_property
    def _types(self) -> dict[str, str | None]:
        return {name_key(name): retention for name, retention in self.types.items()}

    @cached_property
    def _retentions(self) -> dict[str, Retention]:
        return {name_key(name): retention for name, retention in self.retentions.items()}
