"""Language: how the planner checks and types instances, without knowing a validator or a parser."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from text2mem.ir.diagnostic import Diagnostic
from text2mem.ir.ops import Op

Check = Callable[[list[Any]], Sequence[Diagnostic]]
Parse = Callable[[list[Any]], Sequence[Op]]


@dataclass(frozen=True, slots=True)
class Language:
    """What is legal. ``check`` lists what is wrong with raw instances, ``parse`` types them."""

    check: Check
    parse: Parse

    def errors(self, instances: list[Any]) -> tuple[Diagnostic, ...]:
        """The errors that make instances illegal."""
        return tuple(d for d in self.check(instances) if d.severity == "error")
