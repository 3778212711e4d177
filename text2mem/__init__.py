"""text2mem compiles what a person says about memory into a typed program, and runs it.

>>> program = compile("forget everything about lunch")      # doctest: +SKIP
>>> execute(program, "memory.db")                            # doctest: +SKIP

Importing the package loads no model, no provider's client and no database.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from text2mem.async_memory import AsyncMemory as AsyncMemory
    from text2mem.clock import FixedClock as FixedClock
    from text2mem.compiled import Clarification as Clarification
    from text2mem.compiled import Nothing as Nothing
    from text2mem.compiled import Undo as Undo
    from text2mem.conversation import Conversation as Conversation
    from text2mem.errors import Text2MemError as Text2MemError
    from text2mem.ir.context import ExecutionContext as ExecutionContext
    from text2mem.ir.diagnostic import Diagnostic as Diagnostic
    from text2mem.ir.record import Record as Record
    from text2mem.ir.result import ProgramResult as ProgramResult
    from text2mem.ir.turn import Turn as Turn
    from text2mem.memory import Memory as Memory
    from text2mem.pipeline import acompile as acompile
    from text2mem.pipeline import compile as compile
    from text2mem.pipeline import validate as validate
    from text2mem.program import Program as Program
    from text2mem.providers.function import FunctionProvider as FunctionProvider
    from text2mem.providers.registry import open_provider as open_provider
    from text2mem.running import execute as execute

__version__ = "0.1.0"
_HOMES = {
    "AsyncMemory": "text2mem.async_memory",
    "Clarification": "text2mem.compiled",
    "Conversation": "text2mem.conversation",
    "Diagnostic": "text2mem.ir.diagnostic",
    "ExecutionContext": "text2mem.ir.context",
    "FixedClock": "text2mem.clock",
    "FunctionProvider": "text2mem.providers.function",
    "Memory": "text2mem.memory",
    "Nothing": "text2mem.compiled",
    "Program": "text2mem.program",
    "ProgramResult": "text2mem.ir.result",
    "Record": "text2mem.ir.record",
    "Text2MemError": "text2mem.errors",
    "Turn": "text2mem.ir.turn",
    "Undo": "text2mem.compiled",
    "acompile": "text2mem.pipeline",
    "compile": "text2mem.pipeline",
    "execute": "text2mem.running",
    "open_provider": "text2mem.providers.registry",
    "validate": "text2mem.pipeline",
}


if not TYPE_CHECKING:  # so that a type checker reports unknown names
    __all__ = [*_HOMES]

    def __getattr__(name: str) -> Any:
        if name not in _HOMES:
            raise AttributeError(f"module 'text2mem' has no attribute '{name}'")
        import importlib

        value = getattr(importlib.import_module(_HOMES[name]), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return [*_HOMES, "__version__"]
