"""The package is typed for whoever installs it: a user's file passes, and mistakes are found."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RIGHT = """
import asyncio

from text2mem import (
    AsyncMemory, Clarification, Conversation, ExecutionContext, FunctionProvider, Memory, Program,
    ProgramResult, Text2MemError, compile, execute, open_provider, validate,
)


def ferry(memory: Memory) -> str:
    id_: str = memory.add("The ferry leaves at 11:30", tags=("ferry",))
    best = memory.search("ferry", k=1)[0]
    score: float = best.score
    result: ProgramResult = memory.update(best.id, f"{best.text} ({score:.1f})")
    record = memory.get(id_)
    if record is None or not result.ok:
        raise Text2MemError("gone")
    tags: tuple[str, ...] = record.tags
    return ", ".join([*tags, *(each.text for each in memory.list())])


def talk(memory: Memory) -> None:
    conversation = Conversation(memory, asks="changes")
    reply = conversation.say("Forget the ferry.")
    if reply.question is not None:
        reply = conversation.answer(1)
    print(reply, reply.status, conversation.undo())


def compiled(memory: Memory, said: str) -> list[dict[str, object]]:
    match memory.compile(said):
        case Program() as program:
            return program.to_list()
        case Clarification() as asked:
            return asked.choose(1).to_list()
        case _:
            return []


async def awaited() -> tuple[str, ...]:
    async with AsyncMemory("notes.db", context=ExecutionContext(actor="ann")) as memory:
        task = asyncio.create_task(memory.add("Tea is at five.", tags="tea"))
        found = await memory.search("tea", k=2)
        return (await task, *(each.text for each in found))


def planned() -> None:
    model = FunctionProvider(lambda request: {"steps": []})
    print(compile("thanks", model=model), open_provider("local:any").name)
    print(execute([], "notes.db").as_dict(), validate({}))
"""
WRONG = """
from text2mem import AsyncMemory, Conversation, Memory, nothing_of_the_kind  # 1


def mistakes(memory: Memory, later: AsyncMemory) -> None:
    number: int = memory.add("text")  # 2
    memory.search("ferry", k="five")  # 3
    memory.get("1").text  # 4
    Conversation(memory, asks="sometimes")  # 5
    later.add("text").upper()  # 6
    memory.run("text").ok  # 7
    later.add(text="text", tag="one")  # 8
"""


def test_a_user_s_file_is_checked_strictly_and_its_mistakes_are_found(tmp_path: Path) -> None:
    (tmp_path / "right.py").write_text(RIGHT, encoding="utf-8")
    (tmp_path / "wrong.py").write_text(WRONG, encoding="utf-8")
    surroundings = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "MYPYPATH")}
    cache = ROOT / ".mypy_cache" / "users"
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--no-error-summary",
         "--cache-dir", str(cache), "right.py", "wrong.py"],
        cwd=tmp_path, env=surroundings, capture_output=True, text=True, timeout=280,
    )  # fmt: skip
    assert done.stderr == ""
    assert "right.py" not in done.stdout, done.stdout
    found = set(map(int, re.findall(r"^wrong\.py:(\d+): error", done.stdout, re.MULTILINE)))
    marked = {
        number for number, line in enumerate(WRONG.splitlines(), 1) if re.search(r"# \d$", line)
    }
    assert found == marked, done.stdout
