"""Policy: what may be remembered, as configuration over the registry (docs/typed-memory.md)."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeVar

from text2mem import resources
from text2mem.errors import ConfigurationError
from text2mem.ir.registry import Registry, Sensitivity
from text2mem.ir.words.naming import fold, is_pattern, matches
from text2mem.ledger.episode import Role
from text2mem.ledger.sensitive import Kind, kinds_in

_FOLDER = "schema/policies"
PROFILES = ("assistant", "support-desk", "coding-agent")
DEFAULT = "assistant"

_CALLED: Mapping[Kind, str] = {
    "card": "what looks like the number of a card",
    "account": "what looks like the number of an account",
    "identity": "what looks like the number of a passport or of a person",
    "credential": "what looks like a password or a key",
    "health": "what looks like the code of a diagnosis",
}

T = TypeVar("T")
Verdict = Literal["keep", "confirm", "deny"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What may be remembered. Attributes are names or patterns with ``*``.

    ``types`` and ``allow`` are None where everything is allowed. ``confirm`` waits for a yes,
    ``deny`` is not kept, as are ``confirm_sensitivity`` and ``deny_sensitivity`` by the registry's
    word for an attribute. ``values`` says what becomes of a value that is sensitive by its form
    (``sensitive.Kind``), whatever its attribute; a kind that is not named waits. ``floor`` is the
    confidence below which a fact waits, ``trust`` what the confidence of a source is multiplied by;
    ``retention`` names the class of an attribute. ``recurrence`` says of how many episodes an
    attribute needs to be heard before it counts. ``immediate`` reads every turn at once; else only
    what asks to be remembered or forgotten.
    """

    name: str = "custom"
    types: tuple[str, ...] | None = None
    allow: tuple[str, ...] | None = None
    deny: tuple[str, ...] = ()
    confirm: tuple[str, ...] = ()
    deny_sensitivity: tuple[Sensitivity, ...] = ()
    confirm_sensitivity: tuple[Sensitivity, ...] = ()
    floor: float = 0.5
    trust: Mapping[Role, float] = field(default_factory=dict)
    values: Mapping[Kind, Verdict] = field(default_factory=dict)
    retention: Mapping[str, str] = field(default_factory=dict)
    recurrence: Mapping[str, int] = field(default_factory=dict)
    immediate: bool = False

    @classmethod
    def load(cls, named: str | Path | Mapping[str, Any] | Policy | None) -> Policy:
        """A shipped profile by name, a JSON file, a document; None is the default profile.

        Raises ConfigurationError, which names every fault.
        """
        if isinstance(named, Policy):
            return named
        if isinstance(named, Mapping):
            return cls._checked(named, "the policy")
        name = DEFAULT if named is None else str(named)
        if name in PROFILES:
            return cls._checked(json.loads(resources.read_text(_FOLDER, f"{name}.json")), name)
        path = Path(name)
        if not os.path.exists(path):  # a Path raises where its name is too long
            what = "file" if path.suffix or len(path.parts) > 1 else "policy"
            raise ConfigurationError(
                f"there is no {what} '{name}'", hint=f"write {', '.join(PROFILES)}, or a JSON file"
            )
        try:
            document = json.loads(path.read_text("utf-8"))
        except OSError as error:
            raise ConfigurationError(f"cannot read {name}: {error.strerror}") from error
        except ValueError as error:
            raise ConfigurationError(f"{name} is no JSON: {error}") from error
        return cls._checked(document, name)

    @classmethod
    def _checked(cls, document: Any, name: str) -> Policy:
        from text2mem.ledger.policy_document import checked  # pydantic: only a document pays

        return cls(**checked(document, name))

    def verdict(self, attribute: str, type_: str, registry: Registry) -> tuple[Verdict, str]:
        """What to do with an attribute, and why."""
        known = registry.attribute(attribute)
        if named := _naming(self.deny, attribute):
            return "deny", f"the policy denies {named}"
        if known.sensitivity in self.deny_sensitivity:
            return "deny", f"the policy denies what is {known.sensitivity}"
        if self.allow is not None and not _naming(self.allow, attribute):
            return "deny", "the policy does not list it"
        if self.types is not None and fold(type_) not in map(fold, self.types):
            return "deny", f"the policy keeps no memory of type {type_}"
        if named := _naming(self.confirm, attribute):
            return "confirm", f"the policy asks for a yes to {named}"
        if known.sensitivity in self.confirm_sensitivity:
            return "confirm", f"the policy asks for a yes to what is {known.sensitivity}"
        return "keep", ""

    def verdict_on(self, value: Any) -> tuple[Verdict, str]:
        """What to do with a value for what it is, and why; the reason does not tell the value."""
        found = {kind: self.values.get(kind, "confirm") for kind in kinds_in(value)}
        for kind, verdict in found.items():
            if verdict == "deny":
                return "deny", f"the policy denies {_CALLED[kind]}"
        waiting = [kind for kind, verdict in found.items() if verdict == "confirm"]
        if waiting:
            return "confirm", f"the policy asks for a yes to {_CALLED[waiting[0]]}"
        return "keep", ""

    def needed(self, attribute: str) -> int:
        """Of how many episodes an attribute needs to be heard before it counts."""
        return _of(self.recurrence, attribute) or 1

    def kept_for(self, attribute: str) -> str | None:
        """The retention class that the policy names for an attribute."""
        return _of(self.retention, attribute)

    def trusted(self, confidence: float, role: Role) -> float:
        """A confidence after the trust in where it comes from."""
        return confidence * self.trust.get(role, 1.0)


def _naming(patterns: tuple[str, ...], attribute: str) -> str | None:
    """The first name or pattern that covers an attribute."""
    name = fold(attribute)
    return next((p for p in patterns if _covers(p, name)), None)


def _covers(pattern: str, folded: str) -> bool:
    pattern = fold(pattern)
    return matches(pattern, folded) if is_pattern(pattern) else pattern == folded


def _of(table: Mapping[str, T], attribute: str) -> T | None:
    named = _naming(tuple(table), attribute)
    return None if named is None else table[named]
