"""Policies: which facts of conversations are kept, wait or are denied (docs/typed-memory.md)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic import ValidationError as PydanticError

from text2mem import resources
from text2mem.errors import ConfigurationError
from text2mem.ir.json_values import read_json
from text2mem.ir.pointers import path_of, pointer_to
from text2mem.ir.registry import Registry, Sensitivity
from text2mem.ir.words.naming import is_pattern, matches, name_key
from text2mem.ledger.episode import Role
from text2mem.ledger.sensitive import Kind, kinds_in

_FOLDER = "schema/policies"
PROFILES = ("assistant", "support-desk", "coding-agent")
DEFAULT = "assistant"
SURE = 0.9
"""The least confidence of a fact after a yes to it."""

_CALLED: Mapping[Kind, str] = {
    "card": "what looks like the number of a card",
    "account": "what looks like the number of an account",
    "identity": "what looks like the number of a passport or of a person",
    "credential": "what looks like a password or a key",
    "health": "what looks like the code of a diagnosis",
}
"""What reasons call each kind of sensitive value."""
_FAULTS = {
    "tuple_type": "must be a list", "extra_forbidden": "there is no such field",
    "model_type": "must be an object of fields", "dict_type": "must be an object",
}  # fmt: skip
"""Messages in place of those of pydantic that speak of Python types, by the type of the fault."""

Verdict = Literal["keep", "confirm", "deny"]
Name = Annotated[str, Field(min_length=1, max_length=200)]
Share = Annotated[float, Field(ge=0, le=1)]


class Policy(BaseModel):
    """What may be remembered of conversations. Attributes are names, or patterns with *."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    name: Name = Field("custom", description="For people.")
    types: tuple[Name, ...] | None = Field(None, description="Memory types; null is all.")
    allow: tuple[Name, ...] | None = Field(None, description="Attributes; null is all.")
    deny: tuple[Name, ...] = Field((), description="Attributes that are not kept.")
    confirm: tuple[Name, ...] = Field((), description="Attributes that wait for a yes.")
    deny_sensitivity: tuple[Sensitivity, ...] = Field(
        (), description="The registry's sensitivities whose attributes are not kept."
    )
    confirm_sensitivity: tuple[Sensitivity, ...] = Field(
        (), description="The registry's sensitivities whose attributes wait for a yes."
    )
    floor: Share = Field(0.5, description="The confidence below which a fact waits.")
    trust: dict[Role, Share] = Field(
        default_factory=dict, description="A factor for the confidence, by role of the source."
    )
    values: dict[Kind, Verdict] = Field(
        default_factory=dict,
        description="What happens to values that are sensitive by their form; a kind that is not "
        "named waits for a yes.",
    )
    retention: dict[Name, Name] = Field(
        default_factory=dict, description="The retention class of an attribute."
    )
    recurrence: dict[Name, Annotated[int, Field(ge=1, le=100)]] = Field(
        default_factory=dict,
        description="How many episodes must state an attribute before it counts.",
    )
    immediate: bool = Field(False, description="Read every turn at once, not only commands.")

    @classmethod
    def load(cls, named: str | Path | Mapping[str, Any] | Policy | None) -> Policy:
        """The policy of a shipped profile's name, a JSON file or a document; None is the default
        profile. Raise ConfigurationError, which lists every fault, if it cannot be read."""
        if isinstance(named, Policy):
            return named
        if isinstance(named, Mapping):
            return cls._checked(named, "the policy")
        name = DEFAULT if named is None else str(named)
        if name in PROFILES:
            return cls._checked(read_json(resources.read_text(_FOLDER, f"{name}.json")), name)
        path = Path(name)
        if not os.path.exists(path):  # Path.exists raises if the name is too long
            what = "file" if path.suffix or len(path.parts) > 1 else "policy"
            raise ConfigurationError(
                f"there is no {what} '{name}'", hint=f"write {', '.join(PROFILES)}, or a JSON file"
            )
        try:
            document = read_json(path.read_text("utf-8-sig"))
        except OSError as error:
            raise ConfigurationError(f"cannot read {name}: {error.strerror}") from error
        except ValueError as error:
            raise ConfigurationError(f"{name} is no JSON: {error}") from error
        return cls._checked(document, name)

    @classmethod
    def _checked(cls, document: Any, name: str) -> Policy:
        try:
            return cls.model_validate(document)
        except PydanticError as error:
            faults = "; ".join(
                f"{pointer_to(path_of(fault, document)) or '/'}: "
                f"{_FAULTS.get(fault['type'], fault['msg'])}"
                for fault in error.errors()
            )
            raise ConfigurationError(
                f"{name} is no policy: {faults}", hint=f"its fields: {', '.join(cls.model_fields)}"
            ) from error

    def verdict(self, attribute: str, type_: str, registry: Registry) -> tuple[Verdict, str]:
        """The verdict on an attribute, and the reason; the value is not looked at."""
        known = registry.attribute(attribute)
        if named := _naming(self.deny, attribute):
            return "deny", f"the policy denies {named}"
        if known.sensitivity in self.deny_sensitivity:
            return "deny", f"the policy denies what is {known.sensitivity}"
        if self.allow is not None and not _naming(self.allow, attribute):
            return "deny", "the policy does not list it"
        if self.types is not None and name_key(type_) not in map(name_key, self.types):
            return "deny", f"the policy keeps no memory of type {type_}"
        if named := _naming(self.confirm, attribute):
            return "confirm", f"the policy asks for a yes to {named}"
        if known.sensitivity in self.confirm_sensitivity:
            return "confirm", f"the policy asks for a yes to what is {known.sensitivity}"
        return "keep", ""

    def verdict_on(self, value: Any) -> tuple[Verdict, str]:
        """The verdict on a value by its form, and the reason, which does not quote the value."""
        first = {self.values.get(kind, "confirm"): kind for kind in reversed(kinds_in(value))}
        if denied := first.get("deny"):
            return "deny", f"the policy denies {_CALLED[denied]}"
        if waiting := first.get("confirm"):
            return "confirm", f"the policy asks for a yes to {_CALLED[waiting]}"
        return "keep", ""

    def needed(self, attribute: str) -> int:
        """How many episodes must state a value of this attribute before it counts."""
        named = _naming(tuple(self.recurrence), attribute)
        return self.recurrence[named] if named else 1

    def kept_for(self, attribute: str) -> str | None:
        """The retention class that the policy names for an attribute, if any."""
        named = _naming(tuple(self.retention), attribute)
        return self.retention[named] if named else None

    def trusted(self, confidence: float, role: Role) -> float:
        """The confidence times the policy's trust in the role of its source (1 by default)."""
        return confidence * self.trust.get(role, 1.0)


@lru_cache(maxsize=1024)
def _naming(patterns: tuple[str, ...], attribute: str) -> str | None:
    """The first of these names and patterns that matches an attribute."""
    name = name_key(attribute)
    for pattern in patterns:
        folded = name_key(pattern)
        if matches(folded, name) if is_pattern(folded) else folded == name:
            return pattern
    return None
