"""What is known about attributes and memory types: the registry (docs/ledger.md, "The registry").

Data, and versioned: a tenant may set another one. Attributes are found by name, else by a pattern
such as ``*_deadline``; one that is not declared gets the defaults.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, lru_cache
from typing import Any, Literal

from text2mem.ir.ops import OnExpire
from text2mem.ir.times.duration import Duration
from text2mem.ir.values import Normaliser, UnfitValue, ValueType, canonical, normalised
from text2mem.ir.words.naming import is_pattern, matches, name_key

__all__ = ["Attribute", "Registry", "Retention", "UnfitValue"]

Cardinality = Literal["one", "many"]
Sensitivity = Literal["normal", "personal", "secret"]

CONFIDENCE_FLOOR = 0.3
REMEMBERED = 1024
"""How many names a registry keeps the answers for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attribute:
    """What is known about one attribute; ``name`` is how it is stored (or a declared pattern)."""

    name: str
    declared: bool = True
    value_type: ValueType = "any"
    cardinality: Cardinality = "one"
    normaliser: Normaliser = "trim"
    retention: str | None = None
    sensitivity: Sensitivity = "normal"

    def as_declared(self) -> dict[str, Any]:
        """How it is declared, as a document has it: what is not the default."""
        told = {f.name: (getattr(self, f.name), f.default) for f in fields(self)}
        return {
            name: value
            for name, (value, plain) in told.items()
            if name not in ("name", "declared") and value != plain
        }


@dataclass(frozen=True, slots=True)
class Retention:
    """A retention class: how long a memory is kept (None: for ever), and what happens then."""

    name: str
    keep: Duration | None
    on_expire: OnExpire = "soft_delete"


@dataclass(frozen=True)
class Registry:
    """A registry that has been checked.

    ``attributes`` and ``retentions`` are by declared name; ``types`` maps a memory type to its
    retention class, if it has one. ``confidence_floor`` is the confidence, from 0 to 1, below which
    a fact waits.
    """

    version: int
    confidence_floor: float = CONFIDENCE_FLOOR
    attributes: Mapping[str, Attribute] = field(default_factory=dict, hash=False)
    types: Mapping[str, str | None] = field(default_factory=dict, hash=False)
    retentions: Mapping[str, Retention] = field(default_factory=dict, hash=False)

    @classmethod
    def load(cls, document: Mapping[str, Any]) -> Registry:
        """The registry that a document describes (``schema/registry.v1.schema.json``).

        Raises ConfigurationError, which names every fault with its JSON Pointer.
        """
        from text2mem.ir.registry_document import checked  # pydantic: only a new document pays

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
                name: Retention(
                    name,
                    None if entry.keep is None else Duration.parse(entry.keep),
                    entry.on_expire,
                )
                for name, entry in read.retention.items()
            },
        )

    def to_document(self) -> dict[str, Any]:
        """The document that ``load`` makes an equal registry of; without entries' defaults."""
        return {
            "version": self.version,
            "confidence_floor": self.confidence_floor,
            "retention": {
                name: {
                    "keep": None if entry.keep is None else entry.keep.isoformat(),
                    "on_expire": entry.on_expire,
                }
                for name, entry in self.retentions.items()
            },
            "types": {
                name: {} if retention is None else {"retention": retention}
                for name, retention in self.types.items()
            },
            "attributes": {name: entry.as_declared() for name, entry in self.attributes.items()},
        }

    def attribute(self, name: str) -> Attribute:
        """What is known about ``name``: as declared, else by the longest pattern, else defaults.

        The answer's name is the one to store: the declared one, for a pattern the folded one
        (``name_key``), and for an attribute that is not declared ``name`` without blanks around it.
        """
        return self._attribute(name)

    def normalise(self, attribute: Attribute, value: Any) -> Any:
        """The value as it is stored and compared. Raises UnfitValue where it is of another type."""
        return normalised(attribute.name, attribute.value_type, attribute.normaliser, value)

    def key(self, attribute: Attribute, value: Any) -> str:
        """What tells the time lines of one subject and attribute apart.

        "" where it holds one value; else the canonical JSON of the normalised value. A stored value
        that the attribute does not take (any more) counts as it stands.
        """
        if attribute.cardinality == "one":
            return ""
        try:
            return canonical(self.normalise(attribute, value))
        except UnfitValue:
            return canonical(value)

    def retention(
        self, policy: str | None, attribute: Attribute | None, type_: str | None
    ) -> Retention | None:
        """The first known class of: a memory's policy, its attribute's, its type's; else None."""
        named = (
            policy,
            attribute and attribute.retention,
            type_ and self._types.get(name_key(type_)),
        )
        found = (self._retentions.get(name_key(name)) for name in named if name)
        return next((retention for retention in found if retention is not None), None)

    def knows_retention(self, name: str) -> bool:
        """Whether ``name`` names a retention class, without regard to case."""
        return name_key(name) in self._retentions

    @cached_property
    def _attribute(self) -> Callable[[str], Attribute]:
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

    @cached_property
    def _types(self) -> dict[str, str | None]:
        return {name_key(name): retention for name, retention in self.types.items()}

    @cached_property
    def _retentions(self) -> dict[str, Retention]:
        return {name_key(name): retention for name, retention in self.retentions.items()}
