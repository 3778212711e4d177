"""What the tests of the command line pass to it and get from it."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Outcome:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """stdout as one JSON document."""
        return json.loads(self.out)

    @property
    def rows(self) -> list[Any]:
        """stdout as JSON, a row a line."""
        return [json.loads(line) for line in self.out.split("\n") if line]


class Command(Protocol):
    """``text2mem`` with arguments. ``terminal``: stdout is one; stdin is one where it is None.

    ``typed`` is what a person types at a terminal that both of them are.
    """

    def __call__(
        self, *arguments: str | Path, stdin: str | bytes | None = None, terminal: bool = False,
        typed: str | None = None,
    ) -> Outcome: ...  # fmt: skip


class Stdin(io.TextIOWrapper):
    """Standard input that holds some bytes; without any it is a terminal at which nobody types."""

    def __init__(self, data: bytes | None, typed: str | None = None) -> None:
        super().__init__(io.BytesIO((typed or "").encode() or data or b""), encoding="utf-8")
        self._terminal = data is None

    def isatty(self) -> bool:
        return self._terminal


Terminal = Callable[..., tuple[int, bytes]]
"""Runs ``text2mem`` with arguments on a terminal of its own, as stderr and (unless ``stdout`` is
given) stdout: its exit code, and what the terminal was sent."""
Shell = Callable[..., Outcome]
"""Runs a line of bash; keywords are variables of its environment."""


def program(op: str, **parts: Any) -> dict[str, Any]:
    """An instance with its stage."""
    stage = {"Encode": "ENC", "Retrieve": "RET", "Summarize": "RET"}.get(op, "STO")
    return {"stage": stage, "op": op, **parts}


def note(text: str, **args: Any) -> dict[str, Any]:
    """An Encode."""
    return program("Encode", args={"payload": {"text": text}, **args})


READ_ALL = program("Retrieve", target={"all": True})
DELETE_ALL = program("Delete", target={"all": True})


def update(*ids: str, **edits: Any) -> dict[str, Any]:
    """An Update by ids."""
    return program("Update", target={"ids": list(ids)}, args={"set": edits})


def run(text2mem: Command, *programs: Any, options: tuple[str, ...] = ()) -> list[Any]:
    """Runs programs on ``memory.db``; their results."""
    rows = "\n".join(json.dumps(each) for each in programs)
    done = text2mem("exec", "--jsonl", *options, stdin=f"{rows}\n")
    assert done.code == 0, done.err
    return done.rows


def trace(text2mem: Command, one: Any, *options: str) -> str:
    """Runs one program on ``memory.db``; its trace."""
    (row,) = run(text2mem, one, options=options)
    found: str = row["trace_id"]
    return found
