"""What the command line reads: texts that are nearly JSON, of programs, rows and lines of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from text2mem_bench.fuzz import grammar, values
from text2mem_bench.fuzz.meter import Broken, Meter
from text2mem_bench.fuzz.tree import mutated

CODES = (0, 1, 2, 3)
"""The documented exit codes; 130 is for an interrupt, and nobody interrupts."""
_COMMANDS = ("validate", "exec")
_FORMS = ("--json", "--jsonl", "--text")
_STATUSES = ("ok", "nothing", "undo", "error", "needs_clarification", "", None, 1)
_TOKENS = (
    b"NaN", b"-Infinity", b"1e999", b"-0", b"01", b"1.", b"{", b"}", b"[", b"]", b",", b":", b'"',
    b"\\", b"\\ud800", b"\\u0000", b"\\x", b"\x00", b"\xff", b"\xed\xa0\x80", b"\xc0\x80",
    b"\n", b"\r\n", b"\r", b"\xe2\x80\xa8", b"\xc2\x85", b"\x0c", b"\x1b[2J", b"null", b"//",
    b" ", b"'", b"\xef\xbb\xbf",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Ran:
    """What a command left: its exit code, and the bytes of stdout."""

    code: int
    out: bytes


Invoke = Callable[[list[str], bytes], Ran]
"""Runs a command line with these bytes as stdin, in this process; lets exceptions through."""


def make(random: Random) -> Any:
    """A command, a form of output, and what is piped into it."""
    form = random.choice(_FORMS)
    dry = random.choice(("", "", "--dry-run", "--yes"))
    if form == "--jsonl" or random.random() < 0.2:
        lines = [_text(random) for _ in range(random.randint(1, 5))]
        piped = random.choice((b"\n", b"\n", b"\r\n", b"\n\n", b"\r")).join(lines)
    else:
        piped = _text(random)
    return {"command": random.choice(_COMMANDS), "form": form, "option": dry, "stdin": piped}


def _text(random: Random) -> bytes:
    """One JSON text, with nothing to four things wrong with its bytes."""
    kind = random.random()
    if kind < 0.08:
        levels = random.choice((64, 300, 900, 1_100, 20_000))
        opening, closing = random.choice(((b"[", b"]"), (b'{"a":', b"}"), (b'{"op":[', b"]}")))
        return opening * levels + b"1" + closing * random.choice((levels, levels, 0))
    if kind < 0.12:
        return random.choice((b"9", b"-1", b"0.1", b"1e")) * random.choice((1, 5, 1_000, 2_500))
    held: Any = grammar.document(random) if random.random() < 0.5 else grammar.program(random)
    if kind < 0.4:
        held = _row(random, held)
    text = _written(random, held)
    for _ in range(random.choice((0, 0, 0, 1, 2, 4))):
        text = _spoiled(random, text)
    return text


def _row(random: Random, held: Any) -> Any:
    """A row as ``compile --jsonl`` prints it, or nearly so."""
    error = {"type": "PlannerError", "message": values.text(random), "hint": "x"}
    row = {"utterance": values.text(random), "program": held, "status": random.choice(_STATUSES)}
    if random.random() < 0.4:
        row["error"] = error
    if random.random() < 0.2:
        row["question"] = values.text(random)
    return row if random.random() < 0.7 else mutated(random, row, 1)


def _written(random: Random, held: Any) -> bytes:
    try:
        text = json.dumps(held, ensure_ascii=random.random() < 0.5)
    except (ValueError, RecursionError):  # a number of more digits than Python writes
        text = json.dumps(values.text(random))
    return text.encode("utf-8", "surrogatepass")


def _spoiled(random: Random, text: bytes) -> bytes:
    """The bytes cut, doubled, changed, or with a token put in."""
    begin = random.randint(0, len(text))
    end = min(len(text), begin + random.choice((1, 2, 8, 100)))
    kind = random.randrange(5)
    if kind == 0:
        return text[:begin] + text[end:]
    if kind == 1:
        return text[:end] + text[begin:]
    if kind == 2:
        return text[:begin] + bytes([random.randrange(256)]) + text[begin + 1 :]
    if kind == 3 and b'": ' in text:  # the same key again, with another value
        pieces = text.split(b", ")
        at = random.randrange(len(pieces))
        return b", ".join([*pieces[: at + 1], *pieces[at:]])
    return text[:begin] + random.choice(_TOKENS) + text[begin:]


def run_with(invoke: Invoke) -> Callable[[Any, Meter], None]:
    """What runs a case by a command line."""

    def run(held: Any, meter: Meter) -> None:
        arguments = arguments_of(held)
        if arguments is None:
            return
        stdin = held["stdin"]
        ran = meter.call(
            f"text2mem {arguments[0]}", lambda: invoke(arguments, stdin), lambda r: f"exit {r.code}"
        )
        assert isinstance(ran, Ran)
        if ran.code not in CODES:
            raise Broken(f"exit code {ran.code}")
        if "--text" not in arguments:
            for row in ran.out.split(b"\n"):
                _require_json(row)

    return run


def arguments_of(held: Any) -> list[str] | None:
    """The arguments of a case's command; None for what is no case."""
    if not isinstance(held, dict) or not isinstance(held.get("stdin"), bytes):
        return None
    command, form, option = (held.get(key) for key in ("command", "form", "option"))
    if command not in _COMMANDS:
        return None
    out = [str(command), *([str(form)] if form in _FORMS else []), "--now", "2026-03-04T10:30:00Z"]
    if command == "exec":
        out += ["--db", "memory:", "--embedder", "none", "--summariser", "extractive"]
        out += [str(option)] if option in ("--dry-run", "--yes") else []
    return [*out, "--tz", "UTC"]


def _require_json(row: bytes) -> None:
    if not row.strip():
        return
    try:
        json.loads(row, parse_constant=_refused)
    except (ValueError, RecursionError) as error:
        raise Broken(f"a row of stdout is no JSON: {error}") from error


def _refused(name: str) -> None:
    raise ValueError(f"{name} is no JSON")
