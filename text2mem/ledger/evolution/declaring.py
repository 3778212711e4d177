"""The registry that an evolution leads to."""

from __future__ import annotations

from typing import Any

from text2mem.errors import ConfigurationError
from text2mem.ir.registry import Registry
from text2mem.ir.values import FOR_TEXT
from text2mem.ir.words.naming import name_key
from text2mem.ledger.evolution.document import Evolution, Merge, Rename, Retype


def registry_after(registry: Registry, evolution: Evolution) -> Registry:
    """The registry that the evolution contains, else the present one as its steps change it.

    An old name stays declared, since facts may still be written under it. Raise ConfigurationError
    for an invalid registry, or one with another value type than the last retype of an attribute.
    """
    if evolution.registry is not None:
        after = Registry.load(evolution.registry)
    else:
        document = {**registry.to_document(), "version": evolution.version}
        for step in evolution.steps:
            now = Registry.load(document)
            if isinstance(step, Rename):
                _declare(document, now, step.to, like=step.old)
            elif isinstance(step, Merge) and step.join is None:
                _declare(document, now, step.into, like=step.attributes[0])
            elif isinstance(step, Retype):
                _retype(document, now, step)
        after = Registry.load(document)
    last_retypes = {
        name_key(step.attribute): (number, step)
        for number, step in enumerate(evolution.steps, 1)
        if isinstance(step, Retype)
    }
    for number, retype in sorted(last_retypes.values()):
        declared = after.attribute(retype.attribute).value_type
        if declared != retype.value_type:
            raise ConfigurationError(
                f"the registry calls the values of {retype.attribute} {declared}, "
                f"and step {number} makes them {retype.value_type}"
            )
    return after


def _declare(document: dict[str, Any], registry: Registry, name: str, *, like: str) -> None:
    """Declare an attribute like another declared one, unless it is declared already."""
    if registry.attribute(like).declared and not registry.attribute(name).declared:
        document["attributes"][name.strip()] = registry.attribute(like).as_declared()


def _retype(document: dict[str, Any], registry: Registry, step: Retype) -> None:
    """Declare an attribute with its new value type, without a normaliser that is only for text."""
    attribute = registry.attribute(step.attribute)
    entry = {**attribute.as_declared(), "value_type": step.value_type}
    if step.value_type not in ("any", "text") and entry.get("normaliser") in FOR_TEXT:
        del entry["normaliser"]
    document["attributes"][attribute.name] = entry
