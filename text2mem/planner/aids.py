"""Aids: what helps a model to plan, each of which can be switched off to see what it is worth."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields

from text2mem.errors import ConfigurationError


@dataclass(frozen=True, slots=True)
class Aids:
    """The help around the model, all of it by default.

    ``grounding``: it is shown what the store holds. ``constraint``: its selectors can name only
    that. ``staging``: ops first, then a form for each. ``evidence``: what code reads from the
    utterance fills slots and contradicts drafts. ``effects``: drafts are tried on the store.
    ``examples``: its prompt has worked examples.
    """

    grounding: bool = True
    constraint: bool = True
    staging: bool = True
    evidence: bool = True
    effects: bool = True
    examples: bool = True

    @classmethod
    def without(cls, names: Iterable[str]) -> Aids:
        """All but those named. Raises ConfigurationError for a name that is none."""
        off = tuple(names)
        unknown = [name for name in off if name not in AID_NAMES]
        if unknown:
            raise ConfigurationError(
                f"there is no aid named '{unknown[0]}'",
                hint=f"the aids are: {', '.join(AID_NAMES)}",
            )
        return cls(**dict.fromkeys(off, False))


AID_NAMES: tuple[str, ...] = tuple(field.name for field in fields(Aids))
