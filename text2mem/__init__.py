"""text2mem compiles what a person says about memory into a typed program, and runs it.

>>> program = compile("forget everything about lunch")      # doctest: +SKIP
>>> execute(program, "memory.db")                            # doctest: +SKIP

Importing the package loads no model, no provider's client and no database.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from text2mem.async_memory import AsyncMemory
    from text2mem.clarification import Clarification
    from text2mem.clock import FixedClock
    from text2mem.conversation import Conversation
    from text2mem.errors import Text2MemError
    from text2mem.ir.context import ExecutionContext
    from text2mem.ir.diagnostic import Diagnostic
    from text2mem.ir.record import Record
    from text2mem.ir.result import ProgramResult
    from text2mem.ir.turn import Turn
    from text2mem.memory import Memory
    from text2mem.outcome import Nothing, Undo
    from text2mem.pipeline import acompile, compile, execute, validate
    from text2mem.program import Program
    from text2mem.providers.function import FunctionProvider
    from text2mem.providers.registry import open_provider

__version__ = "0.1.0"
__all__ = [
    "AsyncMemory",
    "Clarification",
    "Conversation",
    "Diagnostic",
    "ExecutionContext",
    "FixedClock",
    "FunctionProvider",
    "Memory",
    "Nothing",
    "Program",
    "ProgramResult",
    "Record",
    "Text2MemError",
    "Turn",
    "Undo",
    "acompile",
    "compile",
    "execute",
    "open_provider",
    "validate",
]
_HOMES = {
    "AsyncMemory": "text2mem.async_memory",
    "Clarification": "text2mem.clarification",
    "Conversation": "text2mem.conversation",
    "Diagnostic": "text2mem.ir.diagnostic",
    "ExecutionContext": "text2mem.ir.context",
    "FixedClock": "text2mem.clock",
    "FunctionProvider": "text2mem.providers.function",
    "Memory": "text2mem.memory",
    "Nothing": "text2mem.outcome",
    "Program": "text2mem.program",
    "ProgramResult": "text2mem.ir.result",
    "Record": "text2mem.ir.record",
    "Text2MemError": "text2mem.errors",
    "Turn": "text2mem.ir.turn",
    "Undo": "text2mem.outcome",
    "open_provider": "text2mem.providers.registry",
}


if not TYPE_CHECKING:  # for a type checker, a name that is not there is a mistake

    def __getattr__(name: str) -> Any:
        if name not in __all__:
            raise AttributeError(f"module 'text2mem' has no attribute '{name}'")
        import importlib

        value = getattr(importlib.import_module(_HOMES.get(name, "text2mem.pipeline")), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
