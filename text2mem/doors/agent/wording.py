"""The answers of tools: text for a model, and the same content as JSON."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from text2mem.errors import Text2MemError, ValidationError
from text2mem.ir.diagnostic import render
from text2mem.ir.effects import PLAIN, Words, short, step_in_words, visible
from text2mem.ir.record import title_of
from text2mem.ir.result import ProgramResult
from text2mem.messages import in_words

_CITED = re.compile(r"\[?[em]?(\d+)\]?")
_SHORT = 120
LONG = 300
"""The most characters of an option, and of a line of its effect."""
_ROW = 600
"""The most characters of a memory's text in an answer."""
_DIAGNOSTICS = 12
"""The most diagnostics in an answer."""


@dataclass(frozen=True, slots=True)
class Form:
    """A question that a client may show as a form, whose answer must carry the token."""

    text: str
    options: tuple[str, ...]
    token: str
    title: str
    """The title of the form's field."""


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """What a tool returns: a text for a model, and the same content as JSON."""

    text: str
    data: Mapping[str, Any] = field(default_factory=dict)
    failed: bool = False
    form: Form | None = None
    """The question that the client may put to a person as a form."""


def cited(id_: str) -> str:
    """Return the id of a memory that is given as an answer cites it: "7", "m7", "e12", "[e12]"."""
    found = _CITED.fullmatch(id_.strip())
    return found[1] if found else id_


def line(value: Any, limit: int = _SHORT) -> str:
    """Return a value on one line, shortened, with control characters made visible."""
    return visible(short(value, limit))


def failure(error: Text2MemError, said: str = "") -> ToolAnswer:
    """Return an error as an answer, with its message, in the language of ``said``, and its hint."""
    data = {name: value for name, value in error.as_dict().items() if name != "raw"}
    lines = [in_words(error.message, said), *([error.hint] if error.hint else [])]
    if isinstance(error, ValidationError):
        data["diagnostics"] = data["diagnostics"][:_DIAGNOSTICS]
        lines = [render(error.diagnostics[:_DIAGNOSTICS])]
    return ToolAnswer("\n".join(lines), {"error": data}, failed=True)


def outcome(result: ProgramResult, words: Words = PLAIN) -> str:
    """Return the rows and the first changes of each step, a line each."""
    return "\n".join(
        text if kind == "done" else f"  {text if kind == 'row' else line(text)}"
        for step in result.results
        for kind, text in step_in_words(step, shown, words)
    )


def shown(row: Mapping[str, Any]) -> str:
    """Return a row of a read as a line: id, text and tags; or a digest and its memories' ids."""
    if "summary" in row:
        return f"{line(row['summary'], 4 * _ROW)}  [{', '.join(row['ids'])}]"
    tags = "".join(f"  #{line(tag)}" for tag in row.get("tags") or ())
    return f"[m{row['id']}] {line(title_of(row), _ROW)}{tags}"
