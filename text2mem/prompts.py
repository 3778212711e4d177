"""Prompts: Markdown templates as chat turns.

A template has a header (name, version, purpose) and sections ``## system``, ``## user``, ``##
assistant`` in the order of the turns. A user's words are put into the turns as data, never into the
template's own text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import cast, get_args

from text2mem import resources
from text2mem.providers.base import Message, Role

_SECTION = re.compile(rf"^## ({'|'.join(get_args(Role))})\n", re.MULTILINE)
_FIELD = re.compile(r"\{\{(\w+)\}\}")


@dataclass(frozen=True, slots=True)
class Prompt:
    """A template: its fixed turns. ``version`` is recorded with every plan."""

    name: str
    version: str
    turns: tuple[Message, ...]

    def filled(self, **values: str) -> tuple[Message, ...]:
        """The turns with each ``{{name}}`` replaced by its value. Raises KeyError."""
        return tuple(
            Message(turn.role, _FIELD.sub(lambda found: values[found[1]], turn.content))
            for turn in self.turns
        )


@cache
def load(name: str) -> Prompt:
    """The template ``prompts/NAME.md``."""
    _, header, body = resources.read_text("prompts", f"{name}.md").split("---\n", 2)
    fields = dict(line.split(": ", 1) for line in header.strip().splitlines())
    parts = _SECTION.split(body)[1:]
    turns = tuple(
        Message(cast("Role", role), text.strip())
        for role, text in zip(parts[::2], parts[1::2], strict=True)
    )
    return Prompt(fields["name"], fields["version"], turns)
