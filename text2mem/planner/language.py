"""Language: how plans are checked and typed, so that the planner knows no validator or parser."""

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
    """What is legal: ``check`` tells what is wrong with raw instances, ``parse`` types them."""

    check: Check
    parse: Parse

    def errors(self, instances: list[Any]) -> tuple[Diagnostic, ...]:
        """What makes instances illegal."""
        return tuple(d for d in self.check(instances) if d.severity == "error")
