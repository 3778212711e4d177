"""Rewrites the transcripts in ``fixtures/repair``: what a redraft's request says, in full.

python tools/snapshots.py            write the transcripts that differ
python tools/snapshots.py --check    write nothing; exit 1 and name the stale files, if any

Only ``transcript`` is written. Everything else in a case is a person's to decide. In staged cases
nothing is read from the utterance by code, so that the model is asked for all of it.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))  # the checkout's own package, whatever is installed

from text2mem.adapters.memory import MemoryAdapter  # noqa: E402
from text2mem.clock import FixedClock  # noqa: E402
from text2mem.ir.context import ExecutionContext  # noqa: E402
from text2mem.pipeline import compile, execute, previewing  # noqa: E402
from text2mem.planner.aids import Aids  # noqa: E402
from text2mem.program import Program  # noqa: E402
from text2mem.providers.base import Message, Request  # noqa: E402
from text2mem.providers.function import FunctionProvider  # noqa: E402
from text2mem.providers.profiles import Profile  # noqa: E402

FOLDER = ROOT / "fixtures" / "repair"
PROFILES = {
    "whole": Profile(planning="whole", echo_answer=True),
    "staged": Profile(planning="staged", echo_answer=False),
}
AIDS = {"whole": Aids(), "staged": Aids.without(["evidence"])}
_HALF = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Replay:
    """A case once more: its program, and the messages of each redraft."""

    program: Program
    redrafts: tuple[tuple[Message, ...], ...]


def files() -> list[Path]:
    """The cases, by name: each is called after the code that its draft earns."""
    return sorted(p for p in FOLDER.glob("*.json") if p.name != "case.schema.json")


def replay(case: dict[str, Any]) -> Replay:
    """Compile a case's utterance with its answers. Raises what compiling raises."""
    requests: list[Request] = []

    def answer(request: Request) -> str:
        requests.append(request)
        return as_json(case["answers"][len(requests) - 1])

    clock = FixedClock(datetime.fromisoformat(case["now"]))
    program = compile(
        case["utterance"],
        model=FunctionProvider(answer, profile=PROFILES[case["profile"]]),
        clock=clock,
        tz=ZoneInfo(case["tz"]),
        aids=AIDS[case["profile"]],
        **_stored(case.get("store", []), ExecutionContext(clock=clock)),
    )
    if not isinstance(program, Program):
        raise SystemExit(f"the planner asks back: {program.question}")
    drafting = 1 if case["profile"] == "whole" else 1 + len(case["answers"][0]["verbs"])
    return Replay(program, tuple(request.messages for request in requests[drafting:]))


def _stored(program: list[Any], context: ExecutionContext) -> dict[str, Any]:
    """What a compile is given of a store that a program has filled; nothing for an empty one."""
    if not program:
        return {}
    adapter = MemoryAdapter()
    result = execute(program, adapter, context=context)
    if not result.ok:
        raise SystemExit(f"the store of a case is refused: {result.error}")
    return {"store": adapter.view(context), "preview": previewing(adapter, context)}


def transcript(case: dict[str, Any]) -> list[list[dict[str, str]]]:
    """The ``transcript`` that a case has to have."""
    return [
        [{"role": message.role, "content": message.content} for message in messages]
        for messages in replay(case).redrafts
    ]


def as_json(value: Any, indent: int | None = None) -> str:
    """JSON with characters as they are; only half characters, which no file holds, escaped."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    return _HALF.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def stale() -> dict[Path, str]:
    """The files that differ from what would be written, with what would be."""
    found = {}
    for path in files():
        case = json.loads(path.read_text("utf-8"))
        content = as_json({**case, "transcript": transcript(case)}, indent=2) + "\n"
        if path.read_bytes() != content.encode():
            found[path] = content
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; returns the exit code."""
    parser = argparse.ArgumentParser(description="Rewrites the transcripts of fixtures/repair.")
    parser.add_argument("--check", action="store_true", help="only say which files are stale")
    check = parser.parse_args(arguments).check
    found = stale()
    for path, content in found.items():
        name = path.relative_to(ROOT).as_posix()
        if check:
            print(f"stale: {name} (run python tools/snapshots.py)", file=sys.stderr)
        else:
            path.write_bytes(content.encode())
            print(f"written: {name}", file=sys.stderr)
    return 1 if check and found else 0


if __name__ == "__main__":
    sys.exit(main())
